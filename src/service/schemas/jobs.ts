// The schemas of runs, imports and the demo.

import type { Static } from 'typebox'

import { errorPlace } from './failure.ts'
import * as t from './words.ts'

export const runRequest = t.named('RunRequest', {
  kind: t.field('The kind of the run. `ren serve` supports `race`.', t.name),
  settings: t.optional('The settings of the run, which depend on its kind.', t.anyObject),
})

/** A run to start, such as an experiment. The runner defines the kinds and their settings. */
export type RunRequest = Required<Static<typeof runRequest>>

export const importRequest = t.named('ImportRequest', {
  name: t.field('The name of the log, such as its file name.', t.name),
  format: t.field('The format of the text.', t.oneOf('csv', 'jsonl')),
  text: t.field('The whole log.', t.text),
})

/** A log to import, as text. */
export type ImportRequest = Static<typeof importRequest>

const progress = t.closed({
  share: t.field('The completed share, from 0 to 1; null if unknown.', t.numberOrNull),
  message: t.field('The progress in one line.', t.text),
  done: t.optional('The number of completed parts.', t.wholeNumber(0)),
  total: t.optional('The number of parts, such as the runs of an experiment.', t.wholeNumber(0)),
  secondsLeft: t.optional(
    'The estimated seconds to the end; null while there is no estimate.',
    t.numberOrNull,
  ),
  current: t.optional('The part that runs now.', t.text),
  data: t.optional('The results so far.', t.anything),
})

/** The progress of a run or an import. */
export type RunProgress = Static<typeof progress>

export const jobSchema = t.named('Job', {
  id: t.field('The id of the job.', t.text),
  state: t.field(
    'The state of the job.',
    t.oneOf('waiting', 'running', 'done', 'failed', 'canceled'),
  ),
  request: t.field('The request that started the job.', t.anyObject),
  created: t.field('When it was requested, in milliseconds since 1970.', t.time),
  ended: t.field('When it ended, in milliseconds since 1970; null before.', t.orNull(t.time)),
  progress: t.field('The latest progress.', progress),
  result: t.optional('The result; absent until the job is done.', t.anything),
  error: t.optional(
    'Why the job failed; absent otherwise.',
    t.closed({
      code: t.field('The code of the error.', t.text),
      message: t.field('What went wrong.', t.text),
      ...errorPlace,
    }),
  ),
})

/** A run or an import with its progress, as the HTTP API returns it. */
export type Job = Static<typeof jobSchema>

const demoVariant = t.named('DemoVariant', {
  variant: t.field('The name of the variant.', t.text),
  policy: t.field(
    'The display name of its policy, such as REN. Variants with the same policy differ in the seed.',
    t.text,
  ),
  seed: t.field('The seed of its copy of the world.', t.finite),
  at: t.field('The rounds at which the curves have points.', t.list(t.wholeNumber(0))),
  reward: t.field('The mean reward of the last rounds, at each point.', t.list(t.finite)),
  regret: t.field('The total regret since the first round, at each point.', t.list(t.finite)),
})

/** One policy of the demo, in its own copy of the world. */
export type DemoVariant = Static<typeof demoVariant>

export const demoSchema = t.named('Demo', {
  state: t.field('The state of the demo.', t.oneOf('running', 'paused', 'done')),
  world: t.field('A description of the world.', t.text),
  rounds: t.field('The number of rounds per variant.', t.wholeNumber(0)),
  variants: t.field('The progress of each variant.', t.list(demoVariant)),
})

/** The state of the demo, a world of simulated users, and the results of its variants. */
export type Demo = Static<typeof demoSchema>
