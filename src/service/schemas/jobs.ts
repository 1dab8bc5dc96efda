// The schemas of runs, imports and the demo.

import { Type, type Static } from 'typebox'

import { errorPlace } from './failure.ts'
import * as t from './words.ts'

export const runRequest = t.named('RunRequest', {
  kind: t.name,
  settings: Type.Optional(t.anyObject),
})

/** A run to start, such as an experiment. The runner defines the kinds and their settings. */
export type RunRequest = Required<Static<typeof runRequest>>

export const importRequest = t.named('ImportRequest', {
  /** The name of the log, such as its file name. */
  name: t.name,
  format: t.oneOf('csv', 'jsonl'),
  text: Type.String({ description: 'a text' }),
})

/** A log to import, as text. */
export type ImportRequest = Static<typeof importRequest>

const progress = t.closed({
  /** From 0 to 1; null if unknown. */
  share: t.numberOrNull,
  /** The progress in one line. */
  message: Type.String(),
  /** The number of completed parts, such as the runs of an experiment. */
  done: Type.Optional(t.wholeNumber(0)),
  total: Type.Optional(t.wholeNumber(0)),
  /** Null while there is no estimate. */
  secondsLeft: Type.Optional(t.numberOrNull),
  /** The part that runs now. */
  current: Type.Optional(Type.String()),
  /** The results so far, as plain JSON. */
  data: Type.Optional(t.anything),
})

/** The progress of a run or an import. */
export type RunProgress = Static<typeof progress>

export const jobSchema = t.named('Job', {
  id: Type.String(),
  state: t.oneOf('waiting', 'running', 'done', 'failed', 'canceled'),
  request: t.anyObject,
  created: t.time,
  ended: t.orNull(t.time),
  progress,
  result: Type.Optional(t.anything),
  error: Type.Optional(t.closed({ code: Type.String(), message: Type.String(), ...errorPlace })),
})

/** A run or an import with its progress, as the HTTP API returns it. */
export type Job = Static<typeof jobSchema>

const demoVariant = t.named('DemoVariant', {
  variant: Type.String(),
  /** The display name of the policy, such as REN. Variants with the same policy differ in the seed. */
  policy: Type.String(),
  seed: t.finite,
  /** The rounds at which the curves have points. */
  at: t.list(t.wholeNumber(0)),
  /** The mean reward of the last rounds, at each point. */
  reward: t.list(t.finite),
  /** The cumulative regret since the first round, at each point. */
  regret: t.list(t.finite),
})

/** One policy of the demo, in its own copy of the world. */
export type DemoVariant = Static<typeof demoVariant>

export const demoSchema = t.named('Demo', {
  state: t.oneOf('running', 'paused', 'done'),
  /** A description of the world. */
  world: Type.String(),
  /** Rounds per variant. */
  rounds: t.wholeNumber(0),
  variants: t.list(demoVariant),
})

/** The state of the demo, a world of simulated users, and the results of its variants. */
export type Demo = Static<typeof demoSchema>
