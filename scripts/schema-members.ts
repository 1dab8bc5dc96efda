// The members of a type that derives from a schema (`Static<typeof job>`, `SettingsInput<typeof sections.learning>`).
// Their descriptions are in the schema, which a caller of the API otherwise does not see.

import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { Member } from './type-members.ts'

/** The parts of JSON Schema that describe members. */
interface Schema {
  readonly description?: string
  readonly default?: string | number | boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly 'x-shown-as'?: Schema
}

/** A property of that type, or the type itself; without some of the members, or with all required. */
const derived =
  /(?:readonly (\w+)\??: )?(Required<)?(Static|Settings|SettingsInput)<\s*typeof ([\w.]+)>(?:,\s+'(\w+)')?/g

/** The members of all schemas in a declaration. Those of a property have its name and a dot. */
export async function derivedMembers(
  declaration: string,
  file: string,
  text: string,
): Promise<Member[]> {
  const members: Member[] = []
  for (const [, property, required, kind, path, omitted] of declaration.matchAll(derived)) {
    const value = await valueOf(file, text, path!)
    const all =
      kind === 'Static'
        ? membersOfSchema(value as Schema)
        : membersOfSettings(value as Readonly<Record<string, Schema>>, kind === 'SettingsInput')
    const prefix = property === undefined ? '' : `${property}.`
    for (const { name, doc, optional } of all) {
      if (name === omitted) continue
      members.push({ name: `${prefix}${name}`, doc, optional: optional && !required })
    }
  }
  return members
}

/** The value of a name such as `sections.learning`, which the file exports or imports. */
async function valueOf(file: string, text: string, path: string): Promise<unknown> {
  const [name, ...keys] = path.split('.') as [string, ...string[]]
  const imported = new RegExp(`^import \\{[^}]*\\b${name}\\b[^}]*\\} from '(.+)'`, 'm').exec(text)
  const source = join(dirname(file), imported?.[1] ?? basename(file))
  const module = (await import(pathToFileURL(source).href)) as Record<string, unknown>
  if (module[name] === undefined) throw new Error(`${source} must export ${name}`)
  return keys.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], module[name])
}

/** The members of an object, or of all alternatives of a union. Nested objects are in the OpenAPI document. */
function membersOfSchema(schema: Schema): Member[] {
  const { properties = {}, required = [], anyOf = [] } = schema['x-shown-as'] ?? schema
  const members = [
    ...Object.entries(properties).map(([name, { description = '' }]) => ({
      name,
      doc: description,
      optional: !required.includes(name),
    })),
    ...anyOf.flatMap(membersOfSchema),
  ]
  return members.filter((one, i) => i === members.findIndex((two) => isDeepStrictEqual(one, two)))
}

const membersOfSettings = (settings: Readonly<Record<string, Schema>>, optional: boolean) =>
  Object.entries(settings).map(([name, { description, default: value }]) => ({
    name,
    doc: `${description}.${value === undefined ? '' : ` Defaults to \`${value}\`.`}`,
    optional,
  }))
