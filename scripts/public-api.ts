// The public names of the package: the exports of each entry point, with their TSDoc and declarations.
// It generates docs/api.md:
//
//     npm run write:api-doc

import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

import { checkout } from './checkout.ts'
import { derivedMembers } from './schema-members.ts'
import { membersOf, textOf } from './type-members.ts'
import type { Member } from './type-members.ts'

export interface PublicName {
  readonly name: string
  readonly kind: 'function' | 'constant' | 'type'
  /** The declaring file, relative to the checkout. */
  readonly file: string
  /** The text of its TSDoc without asterisks; empty if there is none. */
  readonly doc: string
  /** The declaration: of a type with its members, otherwise without its body. */
  readonly head: string
  /** The properties and methods of a type. */
  readonly members: readonly Member[]
  /** The members that a type has from a schema, or from a type that is not public. */
  readonly derived: readonly Member[]
}

export interface EntryPoint {
  /** The import specifier, such as `ren-recommender/models`. */
  readonly specifier: string
  /** The comment at the top of the file. */
  readonly about: string
  readonly names: readonly PublicName[]
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string>>
}

export async function entryPoints(): Promise<EntryPoint[]> {
  const { name, exports } = JSON.parse(read(join(checkout, 'package.json'))) as Manifest
  const sources = Object.entries(exports).filter(([, file]) => file.endsWith('.ts'))
  const all = await Promise.all(
    sources.map(async ([path, file]) => {
      const source = join(checkout, file)
      const names = (await exportsOf(source)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
      return { specifier: join(name, path), about: leadingComment(read(source)), names }
    }),
  )
  const isPublic = new Set(all.flatMap(({ names }) => names.map((each) => each.name)))
  const complete = (each: PublicName): PublicName =>
    each.kind === 'type' ? { ...each, derived: [...each.derived, ...hidden(each, isPublic)] } : each
  return all.map(({ names, ...entry }) => ({ ...entry, names: names.map(complete) }))
}

const read = (path: string): string => readFileSync(path, 'utf8')

async function exportsOf(file: string): Promise<PublicName[]> {
  const text = read(file)
  const lists = [...text.matchAll(/^export (type )?(\*|\{[^}]*\}) from '([^']+)'/gm)]
  const passedOn = lists.map(async ([, onlyTypes, list, specifier]) =>
    (await exportsOf(join(dirname(file), specifier!)))
      .filter(({ name }) => list === '*' || namesIn(list!).includes(name))
      .filter(({ kind }) => onlyTypes === undefined || kind === 'type'),
  )
  const declared = [...text.matchAll(declaration)].map((match) => describe(file, text, match))
  return [...(await Promise.all(declared)), ...(await Promise.all(passedOn)).flat()]
}

/** The members of types that are not public: of the bases of a type, and of the settings in its properties. */
function hidden({ head, file }: PublicName, isPublic: ReadonlySet<string>): Member[] {
  const code = head.replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
  const bases = /^[^{]*\bextends ([^{]*) \{$/m.exec(code)?.[1] ?? ''
  const omitted = new Set([...bases.matchAll(/'(\w+)'/g)].map(([, name]) => name))
  const settings = code.matchAll(/readonly (\w+)\??: (Partial<)?(\w+(?:Settings|Options))\b/g)
  const found = [
    ...Array.from(bases.match(/\b[A-Z]\w+/g) ?? [], (name) => ['', false, name] as const),
    ...Array.from(
      settings,
      ([, property, partial, name]) => [`${property}.`, partial !== undefined, name!] as const,
    ),
  ]
  return found
    .filter(([, , name]) => !isPublic.has(name))
    .flatMap(([prefix, isPartial, name]) =>
      membersOf(declarationOf(name, join(checkout, file)))
        .filter((member) => !omitted.has(member.name))
        .map(({ optional, ...member }) => ({
          ...member,
          name: `${prefix}${member.name}`,
          optional: optional || isPartial,
        })),
    )
}

/** The declaration of a type in a file or in the file that it is imported from; empty for types of TypeScript. */
function declarationOf(name: string, file: string): string {
  const text = read(file)
  const start = text.search(new RegExp(`^(?:export )?(?:interface|type) ${name}\\b`, 'm'))
  if (start >= 0) return wholeType(text, start)
  const imported = new RegExp(`^import [^']*\\b${name}\\b[^']* from '(\\..+)'`, 'm').exec(text)
  return imported ? declarationOf(name, join(dirname(file), imported[1]!)) : ''
}

const declaration =
  /^export (?:async )?(function\*?|const|interface|type|class) (?!\{|\*)([\w$]+)/gm

const arrow = /^const [\w$]+(?:: [^=]+)? = (?:async )?(?:<.*>)?\(/

const namesIn = (list: string): string[] => list.match(/[\w$]+/g) ?? []

async function describe(file: string, text: string, match: RegExpMatchArray): Promise<PublicName> {
  const [, keyword, name] = match
  const before = text.slice(0, match.index)
  const doc = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n$/.exec(before)?.[1] ?? ''
  const isType = ['interface', 'type'].includes(keyword!)
  const head = isType ? wholeType(text, match.index!) : headOf(text, match.index!)
  const isFunction = keyword!.startsWith('function') || arrow.test(head)
  const kind = isFunction ? 'function' : keyword === 'const' ? 'constant' : 'type'
  return {
    name: name!,
    kind,
    file: relative(checkout, file),
    doc: textOf(doc),
    members: isType ? membersOf(head) : [],
    derived: isType ? await derivedMembers(head, file, text) : [],
    head,
  }
}

/** The lines from `export` to the start of the body or value: the first line, or until a line without indentation. */
function headOf(text: string, start: number): string {
  const lines = text
    .slice(start)
    .replace(/^export /, '')
    .split('\n')
  const isBroken = /[({<]$/.test(lines[0]!) && !/ \{$|=> [({]$/.test(lines[0]!)
  const last = isBroken ? lines.findIndex((line, i) => i > 0 && /^\S/.test(line)) : 0
  return lines
    .slice(0, last + 1)
    .join('\n')
    .replace(/(?: =>.*| \{)$/, '')
}

/** An interface or a type with its members and their comments: until the next line that starts a statement. */
function wholeType(text: string, start: number): string {
  const lines = text
    .slice(start)
    .replace(/^export /, '')
    .split('\n')
  const next = lines.findIndex((line, i) => i > 0 && /^[^\s)\]}>]/.test(line))
  return lines
    .slice(0, next === -1 ? undefined : next)
    .join('\n')
    .trimEnd()
}

const leadingComment = (text: string): string =>
  (/^(?:\/\/.*\n)+/.exec(text)?.[0] ?? '').replaceAll(/^\/\/ ?/gm, '').trim()

const introduction = `# Library reference

Every public name of the package, by entry point. \`npm run write:api-doc\` generates this page from the TSDoc comments in
the source. A list below a type has the members that it takes from a schema or from a type that is not public. The OpenAPI
document also describes nested objects. For a tour with running code, see the [README](../README.md) and [extending.md](extending.md).
`

/** The text of docs/api.md. */
export async function apiDocument(): Promise<string> {
  return [introduction, ...(await entryPoints()).map(section)].join('\n')
}

/** Functions and constants first. A name of several entry points is described at the first one. */
function section({ specifier, about, names }: EntryPoint, _: number, all: readonly EntryPoint[]) {
  const sorted = names.toSorted((a, b) => Number(a.kind === 'type') - Number(b.kind === 'type'))
  const { own = [], shared = [] } = Object.groupBy(sorted, (each) => {
    const first = all.find((other) => other.names.some((one) => isSame(one, each)))
    return first?.specifier === specifier ? 'own' : 'shared'
  })
  const parts = [`## ${specifier}`, about, ...own.map(describeName)]
  if (shared.length > 0) {
    const links = shared.map(({ name }) => `[\`${name}\`](#${name.toLowerCase()})`).join(', ')
    parts.push(`Also exported here, and described above: ${links}.`)
  }
  return `${parts.join('\n\n')}\n`
}

const isSame = (one: PublicName, other: PublicName): boolean =>
  one.name === other.name && one.file === other.file

const describeName = ({ name, doc, head, kind, derived }: PublicName): string =>
  [
    `### ${name}`,
    ...(kind === 'constant' ? [] : [`\`\`\`ts\n${head}\n\`\`\``]),
    markdownOf(doc),
    ...(derived.length === 0 ? [] : [derived.map(describeMember).join('\n')]),
  ].join('\n\n')

const describeMember = ({ name, doc, optional }: Member): string =>
  `- \`${name}${optional ? '?' : ''}\`: ${doc.replaceAll(/\s+/g, ' ')}`

/** TSDoc as Markdown: links become code, parameters a list; examples are already code blocks. */
const markdownOf = (doc: string): string =>
  doc
    .replaceAll(/\{@link ([^}]+)\}/g, '`$1`')
    .replaceAll(/^@param (\S+)/gm, '- `$1`:')
    .replaceAll(/^@returns /gm, 'Returns ')
    .replaceAll(/^@example\s*/gm, '**Example**\n\n')

/** The code of the examples in a TSDoc comment. */
export const examplesOf = ({ doc }: PublicName): string[] =>
  [...doc.matchAll(/^@example\n```ts\n([\s\S]*?)^```/gm)].map(([, code]) => code!)

if (import.meta.main) writeFileSync(join(checkout, 'docs/api.md'), await apiDocument())
