// Generates docs/settings.md from the settings schemas of policies, models and learning.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeAllowed } from '../src/core/settings.ts'
import type { SettingSchema, SettingsSchema } from '../src/core/settings.ts'
import { policies } from '../src/exploration/index.ts'
import { architectures } from '../src/models/index.ts'
import { learningSettings } from '../src/recommender/index.ts'
import { sections } from '../src/service/settings.ts'
import { checkout } from './checkout.ts'

export const settingsPage = join(checkout, 'docs', 'settings.md')

const introduction = `# Settings of methods

A method has the settings of its policy, of its model and of learning, in one flat object. Set them with \`--set\` of
\`ren serve\` and \`ren simulate\`, as \`settings\` of a variant, a plan or \`createMethod\`, or, for policies, as \`settings\` of
\`exploration\` in a request. \`npm run write:settings-doc\` generates this page from the schemas in the source;
\`ren methods METHOD --json\` prints them as JSON Schema. The last section has settings of the service itself.
`

export function settingsDocument(): string {
  const groups = {
    Policies: named(policies),
    Models: named(architectures),
    Learning: [['with any model and policy', learningSettings] as const],
    'The service': serviceSections,
  }
  const parts = Object.entries(groups).map(([title, owners]) =>
    [`## ${title}`, ...owners.map(([name, schema]) => `### ${name}\n\n${table(schema)}`)].join(
      '\n\n',
    ),
  )
  return `${[introduction.trimEnd(), ...parts].join('\n\n')}\n`
}

/** Set them in `ServiceSettings`; most have an option of `ren serve` (docs/operations.md). */
const serviceSections = [
  ['learning', sections.learning],
  ['learning.fullTraining', sections.fullTraining],
  ['snapshots', sections.snapshots],
  ['maxPerUser', sections.maxPerUser],
] as const

const named = (owners: Readonly<Record<string, { readonly settings: SettingsSchema }>>) =>
  Object.entries(owners).map(([name, { settings }]) => [name, settings] as const)

function table(schema: SettingsSchema): string {
  const rows = Object.entries(schema).map(([name, setting]) => [
    `\`${name}\``,
    valuesOf(setting),
    defaultOf(setting),
    `${setting.description}.`,
  ])
  if (rows.length === 0) return 'This policy has no settings.'
  const all = [['Setting', 'Value', 'Default', 'Meaning'], ...rows]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const ruler = widths.map((width) => '-'.repeat(width))
  return [line(all[0]!), line(ruler), ...rows.map(line)].join('\n')
}

/** The allowed values. Strings are printed as code, because they are case-sensitive. */
function valuesOf(setting: SettingSchema): string {
  if ('anyOf' in setting) return setting.anyOf.map(valuesOf).join(', or ')
  if (setting.type === 'string') return setting.enum.map((name) => `\`${name}\``).join(', ')
  return setting.type === 'boolean' ? '`true`, `false`' : capital(describeAllowed(setting))
}

const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1)

const defaultOf = (setting: SettingSchema): string =>
  setting.default === undefined ? '–' : `\`${setting.default}\``

if (import.meta.main) writeFileSync(settingsPage, settingsDocument())
