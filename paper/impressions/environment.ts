// A world from a log of impressions: each impression is a round whose candidates are its list. The
// world reports clicks on the recommended items, and by default nothing about the others (the
// paper's Trivago experiment).

import { invalid } from '../../src/core/errors.ts'
import { hour } from '../../src/core/time-units.ts'
import type { RenEvent } from '../../src/recommender/index.ts'
import {
  choice,
  nonNegativeInteger,
  positiveInteger,
  positiveNumber,
  withDefaults,
} from '../../src/core/settings.ts'
import type { Settings as SettingsOf, SettingsInput } from '../../src/core/settings.ts'
import { hitsOutcome, slateEvents, knownItems } from '../../src/simulation/hit-or-miss.ts'
import { reciprocalRank } from '../../src/simulation/index.ts'
import type { Environment, Outcome, Round } from '../../src/simulation/index.ts'
import { clickFlags, historyBefore, shownItems, type ImpressionLog } from './impression-log.ts'

export const impressionsSettings = {
  slateSize: positiveInteger('Maximum number of items to recommend from each list', 10),
  warmUpIntervals: nonNegativeInteger(
    'Intervals that are known from the start, with full lists',
    13,
  ),
  warmUpFineTunes: nonNegativeInteger('Times to learn from the warm-up', 15),
  feedback: choice(
    'Which clicks are reported: those on the recommended items, or all clicks in the list',
    ['chosen', 'full'],
    'chosen',
  ),
  lastHistory: positiveInteger('Maximum number of last items of each history to report', 32),
  steps: positiveInteger('Maximum number of rounds; defaults to all'),
} as const

export const allSettings = {
  ...impressionsSettings,
  interval: positiveNumber('Milliseconds between two updates', hour),
} as const

/** Settings of {@link createImpressions}. */
export type ImpressionsOptions = SettingsInput<typeof allSettings>

type Settings = SettingsOf<typeof allSettings>

/**
 * Creates a world from a log of impressions: each round asks to rank one logged list. The reward is
 * 1/slot of the first click, and 0 without a click, so the mean reward is the MRR.
 */
export function createImpressions(
  log: ImpressionLog,
  options: ImpressionsOptions = {},
): Environment {
  const settings = withDefaults('impressions', allSettings, options)
  const { slateSize, warmUpFineTunes: fineTunes } = settings
  const { itemNames, times } = log
  const intervalOf = (row: number): number => Math.floor(times[row]! / settings.interval)
  const first = firstRow(log, intervalOf, settings.warmUpIntervals)
  const end = Math.min(times.length, first + (settings.steps ?? Infinity))
  const rowOf = ({ step }: Round): number => first + step - 1
  const reporting = createReporting(log, settings)
  const events = Array.from({ length: first }, (_, row) => [
    ...reporting.newEventsBefore(row),
    ...reporting.listAt(row),
  ]).flat()
  let next = first

  function nextRound(): Round | null {
    if (next === end) return null
    const row = next++
    const candidates = [...listOf(log, row).keys()]
    const newEvents = reporting.newEventsBefore(row)
    const count = Math.min(slateSize, candidates.length)
    const endsInterval = next === end || intervalOf(next) > intervalOf(row)
    const round = { step: row - first + 1, user: userOf(log, row), time: times[row]! }
    return { ...round, count, candidates, newEvents, endsInterval }
  }

  return {
    name: `impressions (${end - first} of ${itemNames.length} items)`,
    itemNames,
    steps: end - first,
    ...(first > 0 && { warmUp: { events, fineTunes } }),
    nextRound,
    respond: (round, slate) => reporting.respond(rowOf(round), slate),
    bestSlate: (round) => clicksFirst(listOf(log, rowOf(round))).slice(0, round.count),
  }
}

/** Creates the reported events, impression by impression. */
function createReporting(log: ImpressionLog, { lastHistory, feedback }: Settings) {
  const histories = createReportedHistories(log, lastHistory)
  /** Events of the previous list that are not reported yet. */
  let rest: readonly RenEvent[] = []

  /** Reports a list, or the rest of one. */
  function report(row: number, list: ReadonlyMap<string, boolean>): readonly RenEvent[] {
    histories.addClicks(row, clicksIn(list))
    return list.size === 0 ? [] : slateEvents(userOf(log, row), list, log.times[row]!)
  }

  return {
    listAt: (row: number): readonly RenEvent[] => report(row, listOf(log, row)),
    newEventsBefore(row: number): readonly RenEvent[] {
      // The rest of the previous list comes first, as its user may be the same.
      const newEvents = [...rest, ...histories.newEventsBefore(row)]
      rest = []
      return newEvents
    },
    respond(row: number, slate: readonly string[]): Outcome {
      const list = listOf(log, row)
      const outcome = outcomeOf(list, slate)
      const clicked = outcome.chosen.map((slot) => slate[slot]!)
      histories.addClicks(row, clicked)
      for (const item of slate) list.delete(item)
      if (feedback === 'full') rest = report(row, list)
      return outcome
    },
  }
}

function outcomeOf(list: ReadonlyMap<string, boolean>, slate: readonly string[]): Outcome {
  const relevant = slate.map((item) => clickOn(list, item))
  const relevantCount = clicksIn(list).length
  const reward = reciprocalRank(relevant)
  return hitsOutcome(relevant, { reward, bestReward: Math.min(1, relevantCount), relevantCount })
}

/** The first impression after the warm-up. */
function firstRow(
  { times }: ImpressionLog,
  intervalOf: (row: number) => number,
  warmUpIntervals: number,
): number {
  const start = intervalOf(0) + warmUpIntervals
  const row = times.findIndex((_, at) => intervalOf(at) >= start)
  if (row >= 0) return row
  throw invalid(
    `impressions: the log must be longer than the ${warmUpIntervals} intervals of the warm-up`,
  )
}

/** Returns the distinct shown items, and whether each was clicked. */
function listOf(log: ImpressionLog, row: number): Map<string, boolean> {
  const flags = clickFlags(log, row)
  const list = new Map<string, boolean>()
  for (const [place, item] of shownItems(log, row).entries()) {
    const name = log.itemNames[item]!
    list.set(name, list.get(name) === true || flags[place] === 1)
  }
  return list
}

function clickOn(list: ReadonlyMap<string, boolean>, item: string): boolean {
  const clicked = list.get(item)
  if (clicked !== undefined) return clicked
  throw invalid(`impressions: the item must be one of the shown list, got ${item}`)
}

const clicksIn = (list: ReadonlyMap<string, boolean>): string[] =>
  [...list.keys()].filter((item) => list.get(item))

const clicksFirst = (list: ReadonlyMap<string, boolean>): string[] =>
  [...list.keys()].toSorted((a, b) => Number(list.get(b)) - Number(list.get(a)))

/**
 * Tracks the reported part of each user's history, because the log repeats the history with every
 * impression. Uses the last `lastHistory` items of a history.
 */
function createReportedHistories(log: ImpressionLog, lastHistory: number) {
  const reported = log.userNames.map(() => ({ history: new Int32Array(), clicks: [] as string[] }))
  return {
    /** Returns the events of the history before an impression that are not reported yet. */
    newEventsBefore(row: number): readonly RenEvent[] {
      const user = reported[log.users[row]!]!
      const history = historyBefore(log, row).slice(-lastHistory)
      const newer = history.subarray(overlap(user.history, history))
      user.history = history
      const unreported = Array.from(newer, (item) => log.itemNames[item]!).filter((item) => {
        const place = user.clicks.indexOf(item)
        if (place >= 0) user.clicks.splice(place, 1)
        return place < 0
      })
      return knownItems(userOf(log, row), unreported, log.times[row]!)
    },
    /** Records reported clicks, which later histories contain again. */
    addClicks(row: number, items: readonly string[]): void {
      reported[log.users[row]!]!.clicks.push(...items)
    },
  }
}

const userOf = ({ users, userNames }: ImpressionLog, row: number): string => userNames[users[row]!]!

/** Returns the largest overlap of the end of one history and the start of the next. */
function overlap(before: Int32Array, after: Int32Array): number {
  for (let length = Math.min(before.length, after.length); length > 0; length--) {
    const from = before.length - length
    if (after.subarray(0, length).every((item, at) => item === before[from + at])) return length
  }
  return 0
}
