// The schemas of runs, imports and the demo.

import type { Static } from 'typebox'

import { errorPlace } from './failure.ts'
import * as t from './builders.ts'

export const runRequest = t.named('RunRequest', {
  kind: t.field('The kind of the run. `ren serve` supports `race`.', t.name),
  settings: t.optional('The settings of the run, which depend on its kind.', t.anyObject),
})

/** A run to start, such as an experiment. The runner defines the kinds and their settings. */
export type RunRequest = Required<Static<typeof runRequest>>

export const importRequest = t.named('ImportRequest', {
  name: t.field('The name of the log, such as its file name.', t.name),
  content: t.optional(
    'Whether the text is a log, or a catalog of items with attributes. Defaults to a log.',
    t.oneOf('log', 'catalog'),
  ),
  format: t.field('The format of the text.', t.oneOf('csv', 'jsonl')),
  text: t.string('The whole log or catalog.'),
})

/** A log or a catalog to import, as text. */
export type ImportRequest = Static<typeof importRequest>

export const progress = t.closed({
  share: t.numberOrNull('The completed share, from 0 to 1; null if unknown.'),
  message: t.string('The progress in one line.'),
  done: t.optional('The number of completed parts; absent without parts.', t.wholeNumber(0)),
  total: t.optional('The number of parts, such as runs; absent without parts.', t.wholeNumber(0)),
  secondsLeft: t.optional(
    'The estimated seconds to the end; null or absent while there is no estimate.',
    t.orNull(t.finite),
  ),
  current: t.optional('The part that runs now; absent if no part runs.', t.text),
  data: t.optional('The results so far; absent if the job has none before its end.', t.anything),
})

/** The progress of a run or an import. */
export type RunProgress = Static<typeof progress>

export const jobSchema = t.named('Job', {
  id: t.string('The id of the job.'),
  state: t.field(
    'The state of the job.',
    t.oneOf('waiting', 'running', 'done', 'failed', 'canceled'),
  ),
  request: t.field('The request that started the job.', t.anyObject),
  created: t.moment('When it was requested, in milliseconds since 1970.'),
  ended: t.field('When it ended, in milliseconds since 1970; null before.', t.orNull(t.finite)),
  progress: t.field('The latest progress.', progress),
  result: t.optional('The result; absent until the job is done.', t.anything),
  error: t.optional(
    'Why the job failed; absent otherwise.',
    t.closed({
      code: t.string('The code of the error.'),
      message: t.string('What went wrong.'),
      ...errorPlace,
    }),
  ),
})

/** A run or an import with its progress, as the HTTP API returns it. */
export type Job = Static<typeof jobSchema>

export const demoVariant = t.named('DemoVariant', {
  variant: t.string('The name of the variant.'),
  policy: t.string(
    'The display name of its policy, such as REN. Variants with the same policy differ in the seed.',
  ),
  seed: t.number('The seed of its copy of the world.'),
  at: t.field('The rounds at which the curves have points.', t.list(t.wholeNumber(0))),
  reward: t.field('The mean reward of the last rounds, at each point.', t.list(t.finite)),
  regret: t.field('The total regret since the first round, at each point.', t.list(t.finite)),
})

/** One policy of the demo, in its own copy of the world. */
export type DemoVariant = Static<typeof demoVariant>

export const demoSchema = t.named('Demo', {
  state: t.field('The state of the demo.', t.oneOf('running', 'paused', 'done')),
  world: t.string('A description of the world.'),
  rounds: t.count('The number of rounds per variant.'),
  variants: t.field('The progress of each variant.', t.list(demoVariant)),
})

/** The state of the demo, a world of simulated users, and the results of its variants. */
export type Demo = Static<typeof demoSchema>
