// Diginetica: imports weekly periods with sessions as users, and replays sessions of the next period.
// Before each event after the first, it requests 20 items with weight 0, then it sends the event.
// Measures Recall@20 per target, with and without training on these sessions.

import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { mean } from '../../src/core/statistics.ts'
import { createRandom } from '../../src/core/random.ts'
import { bootstrapRatio } from '../../src/evaluation/paired-bootstrap.ts'
import { readLines } from './hold-out.ts'
import { inParallel } from './http-client.ts'
import { serveRen, trainingSeconds, waitForTraining } from './ren-process.ts'
import type { RenProcess } from './ren-process.ts'
import { atLeast, atMost } from './row.ts'
import type { QualityFigure, QualityRow, RowOptions, Stage } from './row.ts'

const testPeriod = { test: 16, validation: 15 }
const sessionCount = 2000
const slateSize = 20
const bars: Readonly<Record<Stage, number>> = { start: 0.47, trained: 0.52 }

/** A session to replay: at least two items, all in the training data. */
interface Session {
  readonly name: string
  readonly items: readonly string[]
}

/** Hits and targets of one session. */
interface Tally {
  readonly hits: number
  readonly targets: number
}

export const diginetica: QualityRow = {
  title: 'Diginetica, sessions of the next period',
  seeds: { test: [1], validation: [1] },
  async *run(options) {
    const { folder, seeds, stages, progress, settleSeconds } = options
    const { log, sessions } = await prepare(options)
    const [seed = 1] = seeds
    const store = join(folder, 'diginetica.db')
    const args = ['--events', log, '--format', 'diginetica', '--seed', String(seed)]
    const serve = () => serveRen({ ...options, store, args: [...args, ...options.serve] })
    let service = await serve()
    const readySeconds = service.readyMs / 1000
    progress(`it serves after ${readySeconds.toFixed(1)} s, ${sessions.length} sessions`)
    await delay(1000 * settleSeconds)
    for (const stage of stages) {
      const seconds = stage === 'trained' ? await waitForTraining(service, progress) : readySeconds
      await service.stop()
      const figures = await measureCopies(store, sessions, stage, options)
      const about =
        stage === 'trained'
          ? { name: 'seconds of training', value: seconds, bar: atMost(trainingSeconds) }
          : { name: 'seconds from start to first answer', value: seconds }
      yield { stage, figures: [...figures, about] }
      if (stage !== stages.at(-1)) service = await serve()
    }
  },
}

async function prepare({ data, split, folder, limit, seeds }: RowOptions) {
  const period = testPeriod[split]
  const lines = await readLines(join(data, 'diginetica/diginetica_periods.tsv.gz'))
  const rows = lines.map((line) => {
    const [at, session, item] = line.split('\t')
    return { line, period: Number(at), session: session!, item: item! }
  })
  const training = rows.filter((row) => row.period < period)
  const known = new Set(training.map(({ item }) => item))
  const tested = rows.filter((row) => row.period === period && known.has(row.item))
  const bySession = Map.groupBy(tested, ({ session }) => session)
  const playable = [...bySession].filter(([, events]) => events.length > 1)
  const random = createRandom(seeds[0] ?? 1).fork('diginetica sessions')
  const count = Math.min(sessionCount, limit, playable.length)
  const sessions = Array.from(random.choose(count, playable.length), (index): Session => {
    const [name, events] = playable[index]!
    return { name: `session-${name}`, items: events.map(({ item }) => item) }
  })
  const log = join(folder, 'periods.tsv')
  writeFileSync(log, training.map(({ line }) => `${line}\n`).join(''))
  return { log, sessions }
}

/** Replays the sessions against copies of the store, so that the store itself does not change. */
async function measureCopies(
  store: string,
  sessions: readonly Session[],
  stage: Stage,
  options: RowOptions,
): Promise<QualityFigure[]> {
  const { folder, serve, seeds, flags, progress } = options
  const copy = join(folder, 'copy.db')
  const seed = ['--seed', String(seeds[0] ?? 1)]
  const measure = async (learns: boolean) => {
    copyFileSync(store, copy)
    const args = [...seed, ...serve, ...(learns ? [] : ['--no-learning'])]
    const service = await serveRen({ ...options, store: copy, args })
    const tallies = await inParallel(sessions, learns ? 4 : 2, (session) =>
      learns ? playAndTeach(service, session) : playAndErase(service, session),
    )
    await service.stop()
    rmSync(copy)
    const recall = recallOf(tallies)
    progress(`${stage}: Recall@20 ${recall.value.toFixed(4)}, learning ${learns ? 'on' : 'off'}`)
    return recall
  }
  const off = await measure(false)
  return [
    { name: 'Recall@20, learning off', ...off, bar: atLeast(bars[stage]) },
    ...(flags.has('off-only')
      ? []
      : [{ name: 'Recall@20, learning on', ...(await measure(true)) }]),
  ]
}

/** Erases the session afterwards, so that its events do not affect the next one. */
async function playAndErase(service: RenProcess, session: Session): Promise<Tally> {
  const tally = await play(service, session, false)
  await service.remove(`/v1/users/${encodeURIComponent(session.name)}`)
  return tally
}

const playAndTeach = (service: RenProcess, session: Session): Promise<Tally> =>
  play(service, session, true)

async function play(
  service: RenProcess,
  { name: user, items: [first, ...targets] }: Session,
  record: boolean,
): Promise<Tally> {
  let afterPosition = await service.record([{ user, item: first }])
  let hits = 0
  for (const item of targets) {
    const { recommendationId, items } = await service.recommend({
      user,
      count: slateSize,
      exploration: { weight: 0 },
      afterPosition,
      record,
    })
    const isHit = items.some((shown) => shown.item === item)
    hits += Number(isHit)
    const answer = isHit && recommendationId !== null ? { recommendationId } : {}
    afterPosition = await service.record([{ user, item, ...answer }])
  }
  return { hits, targets: targets.length }
}

/** Over all targets. The standard error is the width of a 95% bootstrap interval over sessions / 3.92. */
function recallOf(tallies: readonly Tally[]): { value: number; error: number; note: string } {
  const hits = Float64Array.from(tallies, (tally) => tally.hits)
  const targets = Float64Array.from(tallies, (tally) => tally.targets)
  const { ratio, lower, upper } = bootstrapRatio(hits, targets, createRandom('recall'))
  const perSession = mean(tallies.map((tally) => tally.targets))
  const note = `${tallies.length} sessions, ${perSession.toFixed(1)} targets each`
  return { value: ratio, error: (upper - lower) / 3.92, note }
}
