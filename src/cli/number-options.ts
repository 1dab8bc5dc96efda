// The numbers of learning, saving and keeping as options of `ren serve`: one table from option to
// setting.

import type { Command } from 'commander'

import { defaults } from '../service/settings.ts'
import type { ServiceSettings } from '../service/settings.ts'
import { integer, notNegative, positive, share } from './option-values.ts'

type Section = 'learning' | 'snapshots' | 'maxPerUser'
type Setting = { [S in Section]: `${S}.${keyof (typeof defaults)[S] & string}` }[Section]

interface NumberOption {
  readonly setting: Setting
  readonly parse: (text: string) => number
  readonly words: string
}

const table = {
  learnEvents: {
    setting: 'learning.everyEvents',
    parse: integer(1),
    words: 'train after this many events',
  },
  learnSeconds: {
    setting: 'learning.everySeconds',
    parse: positive,
    words: 'train after this many seconds, if there are new events',
  },
  learnUsers: {
    setting: 'learning.maxUsers',
    parse: integer(1),
    words: 'maximum of users with new events per update',
  },
  holdOut: {
    setting: 'learning.holdOut',
    parse: share,
    words: 'share of users with new events who are held out to judge an update',
  },
  tolerance: {
    setting: 'learning.tolerance',
    parse: notNegative,
    words: 'refuse an update if their loss exceeds this multiple of the previous loss',
  },
  maxModelVersions: {
    setting: 'snapshots.maxModelVersions',
    parse: integer(1),
    words: 'maximum of retained model versions',
  },
  snapshotEvents: {
    setting: 'snapshots.everyEvents',
    parse: integer(1),
    words: 'save the state after this many events',
  },
  snapshotSeconds: {
    setting: 'snapshots.everySeconds',
    parse: positive,
    words: 'save the state after this many seconds, if there are new events',
  },
  maxStates: {
    setting: 'snapshots.maxStates',
    parse: integer(1),
    words: 'maximum of retained saved states',
  },
  maxHistory: {
    setting: 'maxPerUser.history',
    parse: integer(1),
    words: 'maximum of interactions per user in memory',
  },
  maxImpressions: {
    setting: 'maxPerUser.impressions',
    parse: integer(1),
    words: 'maximum of impressions per user in memory',
  },
} as const satisfies Readonly<Record<string, NumberOption>>

type Name = keyof typeof table
export type NumberOptions = Readonly<Record<Name, number>>

const entries = Object.entries(table) as [Name, NumberOption][]

export function addNumberOptions(command: Command): Command {
  for (const [name, { setting, parse, words }] of entries) {
    const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const [section, key] = placeOf(setting)
    const usual: Readonly<Record<string, unknown>> = defaults[section]
    command.option(`--${flag} <n>`, words, parse, usual[key] as number)
  }
  return command
}

/** The service settings that these options give; the service checks their ranges. */
export function numberSettings(options: NumberOptions): Required<Pick<ServiceSettings, Section>> {
  const settings: Record<Section, Record<string, number>> = {
    learning: {},
    snapshots: {},
    maxPerUser: {},
  }
  for (const [name, { setting }] of entries) {
    const [section, key] = placeOf(setting)
    settings[section][key] = options[name]
  }
  return settings
}

const placeOf = (setting: Setting): [Section, string] => setting.split('.') as [Section, string]
