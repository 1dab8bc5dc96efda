// `ren methods`: the presets, models and policies, or the settings of one method.

import type { Command } from 'commander'

import { describeAllowed, type SettingSchema } from '../core/settings.ts'
import { policyNames } from '../exploration/index.ts'
import { modelNames } from '../models/index.ts'
import { methodSettings, presets } from '../recommender/index.ts'

export function addMethods(program: Command): void {
  program
    .command('methods')
    .description('list the methods, or the settings of one method')
    .argument('[method]', 'a preset such as ren-g, or model+policy')
    .option('--json', 'print JSON: the settings as JSON Schema')
    .action((method: string | undefined, { json }: { readonly json?: true }) => {
      const answer = method === undefined ? knownMethods : methodSettings(method)
      console.log(json ? JSON.stringify(answer) : toText(answer))
    })
}

const knownMethods = {
  presets: Object.fromEntries(Object.entries(presets).map(([name, { title }]) => [name, title])),
  models: Object.fromEntries(modelNames.map((name) => [name, ''])),
  policies: Object.fromEntries(policyNames.map((name) => [name, ''])),
}

type Sections = Readonly<Record<string, Readonly<Record<string, string | SettingSchema>>>>

const toText = (sections: Sections): string =>
  Object.entries(sections)
    .map(([title, entries]) => [`${title}:`, ...Object.entries(entries).map(lineOf)].join('\n'))
    .join('\n\n')

function lineOf([name, about]: readonly [string, string | SettingSchema]): string {
  if (typeof about === 'string') return `  ${name.padEnd(20)}  ${about}`.trimEnd()
  const fallback = about.default === undefined ? '' : ` (default: ${about.default})`
  return `  ${name.padEnd(20)}  ${about.description}: ${describeAllowed(about)}${fallback}`
}
