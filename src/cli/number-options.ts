// The numeric options of `ren serve` for learning, snapshots and memory: one table from option to setting.

import type { Command } from 'commander'

import { defaults, type ServiceSettings } from '../service/settings.ts'
import { flagOf, integer, notNegative, positive, share } from './option-values.ts'

type Section = 'learning' | 'snapshots' | 'maxPerUser'
type Setting = { [S in Section]: `${S}.${keyof (typeof defaults)[S] & string}` }[Section]

type NumberOption = readonly [
  setting: Setting,
  parse: (text: string) => number,
  description: string,
]

const table = {
  learnEvents: ['learning.everyEvents', integer(1), 'train after this many events'],
  learnSeconds: [
    'learning.everySeconds',
    positive,
    'train after this many seconds, if there are new events',
  ],
  learnUsers: [
    'learning.maxUsers',
    integer(1),
    'maximum number of users with new events per update',
  ],
  holdOut: [
    'learning.holdOut',
    share,
    'share of users with new events who are held out to evaluate an update',
  ],
  tolerance: [
    'learning.tolerance',
    notNegative,
    'refuse an update if the loss of held-out users exceeds this multiple of the previous loss',
  ],
  maxModelVersions: [
    'snapshots.maxModelVersions',
    integer(1),
    'maximum number of retained model versions',
  ],
  snapshotEvents: ['snapshots.everyEvents', integer(1), 'save the state after this many events'],
  snapshotSeconds: [
    'snapshots.everySeconds',
    positive,
    'save the state after this many seconds, if there are new events',
  ],
  maxStates: ['snapshots.maxStates', integer(1), 'maximum number of retained snapshots'],
  maxHistory: [
    'maxPerUser.history',
    integer(1),
    'maximum number of interactions per user in memory',
  ],
  maxImpressions: [
    'maxPerUser.impressions',
    integer(1),
    'maximum number of impressions per user in memory',
  ],
} as const satisfies Readonly<Record<string, NumberOption>>

type Name = keyof typeof table
export type NumberOptions = Readonly<Record<Name, number>>

const entries = Object.entries(table) as [Name, NumberOption][]

export function addNumberOptions(command: Command): Command {
  for (const [name, [setting, parse, description]] of entries) {
    const [section, key] = placeOf(setting)
    const usual: Readonly<Record<string, unknown>> = defaults[section]
    command.option(`${flagOf(name)} <n>`, description, parse, usual[key] as number)
  }
  return command
}

/** The service settings of these options. The service checks their ranges. */
export function numberSettings(options: NumberOptions): Required<Pick<ServiceSettings, Section>> {
  const settings: Record<Section, Record<string, number>> = {
    learning: {},
    snapshots: {},
    maxPerUser: {},
  }
  for (const [name, [setting]] of entries) {
    const [section, key] = placeOf(setting)
    settings[section][key] = options[name]
  }
  return settings
}

const placeOf = (setting: Setting): [Section, string] => setting.split('.') as [Section, string]
