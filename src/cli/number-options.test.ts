import { readFileSync } from 'node:fs'

import { Command } from 'commander'
import { expect, it } from 'vitest'

import { defaults } from '../service/settings.ts'
import { addNumberOptions, numberSettings, type NumberOptions } from './number-options.ts'

const settingsOf = (...args: string[]) => {
  const command = addNumberOptions(new Command('serve').exitOverride())
  command.configureOutput({ writeErr: () => {} }).parse(args, { from: 'user' })
  return numberSettings(command.opts<NumberOptions>())
}

const { learning, snapshots, maxPerUser } = defaults
const { enabled: _, fullTraining: __, ...numbersOfLearning } = learning

it('set every number of learning, snapshots and limits to its default', () => {
  expect(settingsOf()).toEqual({ learning: numbersOfLearning, snapshots, maxPerUser })
})

it.each([
  ['--learn-events', '7', { learning: { everyEvents: 7 } }],
  ['--learn-seconds', '0.5', { learning: { everySeconds: 0.5 } }],
  ['--learn-users', '8', { learning: { maxUsers: 8 } }],
  ['--hold-out', '0.2', { learning: { holdOut: 0.2 } }],
  ['--tolerance', '1.05', { learning: { tolerance: 1.05 } }],
  ['--max-model-versions', '3', { snapshots: { maxModelVersions: 3 } }],
  ['--snapshot-events', '9', { snapshots: { everyEvents: 9 } }],
  ['--snapshot-seconds', '60', { snapshots: { everySeconds: 60 } }],
  ['--max-states', '4', { snapshots: { maxStates: 4 } }],
  ['--max-history', '50', { maxPerUser: { history: 50 } }],
  ['--max-impressions', '60', { maxPerUser: { impressions: 60 } }],
])('%s %s sets the service', (option, value, reported) => {
  expect(settingsOf(option, value)).toMatchObject(reported)
})

it.each([
  ['--learn-events', '0', /an integer of at least 1/],
  ['--learn-events', '1.5', /an integer of at least 1/],
  ['--learn-seconds', '0', /a finite number of at least 0.001/],
  ['--tolerance', 'much', /a finite number of at least 0/],
  ['--hold-out', '1', /a number from 0 to 0.9/],
])('%s %s is refused', (option, value, message) => {
  expect(() => settingsOf(option, value)).toThrow(message)
})

it('are in docs/operations.md with their defaults', () => {
  const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/^\| `(--[\w-]+) N` +\| ([\d.,]+) /gm)].map(
    ([, option, usual]) => `${option} ${usual!.replaceAll(',', '')}`,
  )
  const { options } = addNumberOptions(new Command('serve'))
  expect(listed).toEqual(options.map(({ long, defaultValue }) => `${long} ${defaultValue}`))
})
