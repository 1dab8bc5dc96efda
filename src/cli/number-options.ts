// The numeric options of `ren serve` for learning, snapshots and memory: one table from option to setting.

import type { Command } from 'commander'

import { sections, type ServiceSettings } from '../service/settings.ts'
import type { NumberSetting, SettingSchema } from '../core/settings.ts'
import { flagOf, numberOf } from './option-values.ts'

type Section = 'learning' | 'snapshots' | 'maxPerUser'
type Place = { [S in Section]: readonly [S, keyof (typeof sections)[S] & string] }[Section]

const table = {
  learnEvents: ['learning', 'everyEvents'],
  learnSeconds: ['learning', 'everySeconds'],
  learnUsers: ['learning', 'maxUsers'],
  holdOut: ['learning', 'holdOut'],
  tolerance: ['learning', 'tolerance'],
  maxModelVersions: ['snapshots', 'maxModelVersions'],
  snapshotEvents: ['snapshots', 'everyEvents'],
  snapshotSeconds: ['snapshots', 'everySeconds'],
  maxStates: ['snapshots', 'maxStates'],
  maxHistory: ['maxPerUser', 'history'],
  maxImpressions: ['maxPerUser', 'impressions'],
} as const satisfies Readonly<Record<string, Place>>

type Name = keyof typeof table
export type NumberOptions = Readonly<Record<Name, number>>

const entries = Object.entries(table) as [Name, Place][]

export function addNumberOptions(command: Command): Command {
  for (const [name, [section, key]] of entries) {
    const schemas: Readonly<Record<string, SettingSchema>> = sections[section]
    const setting = schemas[key] as NumberSetting<number>
    const description = setting.description[0]!.toLowerCase() + setting.description.slice(1)
    command.option(`${flagOf(name)} <n>`, description, numberOf(setting), setting.default)
  }
  return command
}

/** The service settings of these options. */
export function numberSettings(options: NumberOptions): Required<Pick<ServiceSettings, Section>> {
  const settings: Record<Section, Record<string, number>> = {
    learning: {},
    snapshots: {},
    maxPerUser: {},
  }
  for (const [name, [section, key]] of entries) settings[section][key] = options[name]
  return settings
}
