// The protocol `slates`: the paper's Netflix experiment. A model learns from half of the users and
// then no more; others are shown slates, and what they have rated of them becomes their history.

import { Type } from 'typebox'

import { createRandom } from '../core/random.ts'
import { createPolicy, policyNames, policySettingNames } from '../exploration/index.ts'
import type { PolicyName } from '../exploration/index.ts'
import { createEngine } from '../kernels/index.ts'
import { runKernel } from './kernel.ts'
import type { Protocol, RunJob } from './protocol.ts'
import { requireShape } from './require-shape.ts'
import type { RunRow } from './row.ts'
import { closed, oneOf } from './schema-words.ts'
import { curvesOf, measuresOf } from './slates/measures.ts'
import { loadPretrained } from './slates/pretrain.ts'
import { readRatings } from './slates/ratings.ts'
import { holdOutRecallAfter, serveSlates } from './slates/serve.ts'
import type { Setting } from './slates/serve.ts'
import { readSettings } from './slates/settings.ts'
import { splitRatings } from './slates/split.ts'
import type { TestedUser } from './slates/split.ts'
import { estimate } from './summarise.ts'

export const slates: Protocol = {
  check(job) {
    readSettings(job.world)
    policyOf(job)
  },
  run: serve,
}

/** A method is a policy; the model is the same for all. */
function policyOf({ method, settings }: RunJob): PolicyName {
  const name = requireShape(oneOf(...policyNames), method, 'method', 'plan-invalid')
  const known = policySettingNames[name].map((key) => [key, Type.Optional(Type.Unknown())])
  requireShape(closed(Object.fromEntries(known)), settings, name, 'plan-invalid')
  return name
}

async function serve(job: RunJob, progress: (share: number) => void): Promise<RunRow> {
  const { panel, label, seed } = job
  const start = performance.now()
  const settings = readSettings(job.world)
  const name = policyOf(job)
  const log = await readRatings(settings, job.data)
  const random = createRandom(seed)
  const split = splitRatings(log, settings, random.fork('split'))
  const engine = await createEngine({ kernel: runKernel })
  try {
    const model = await loadPretrained(engine, split, settings, seed, progress)
    const setting = { model, split, settings, seed }
    // A slate is diverse in itself, unless the plan says otherwise.
    const ownSettings = name === 'ren' ? { slate: 'sequential', ...job.settings } : job.settings
    const served = serveSlates(setting, createPolicy(engine, name, ownSettings))
    const greedy = serveSlates(setting, createPolicy(engine, 'greedy'))
    const measures = { ...measuresOf(served, greedy), ...references(setting) }
    const milliseconds = Math.round(performance.now() - start)
    return { panel, method: label, seed, ...curvesOf(served), measures, milliseconds }
  } finally {
    engine.close()
  }
}

/** Hold-out recall without a slate, and after all that could be found, in either order. */
function references(setting: Setting): Record<string, number> {
  const random = createRandom(setting.seed).fork('references')
  const shuffled = ({ name, exploration }: TestedUser): readonly string[] => {
    const items = [...exploration]
    random.fork(name).shuffle(items)
    return items
  }
  const recall = (historyOf: (user: TestedUser) => readonly string[]): number =>
    estimate(holdOutRecallAfter(setting, historyOf)).mean
  return {
    noHistory: recall(() => []),
    oracle: recall(({ exploration }) => exploration),
    oracleShuffled: recall(shuffled),
  }
}
