// The protocol `slates`: the paper's Netflix experiment. A model trains once, on half of the users. The
// others are shown slates, and the shown movies that they rated become their history.

import { Type } from 'typebox'

import { createRandom } from '../../src/core/random.ts'
import { createRunEngine } from '../../src/experiments/protocol.ts'
import type { Protocol, RunJob, Settings, RunRow } from '../../src/experiments/protocol.ts'
import { requireShape, closed, oneOf } from '../../src/experiments/schema.ts'
import { createPolicy, policies, policyNames } from '../../src/exploration/index.ts'
import type { PolicyName } from '../../src/exploration/index.ts'
import { curvesOf, flatCurve, measuresOf, timesOf } from './measures.ts'
import { loadPretrained } from './pretrain.ts'
import { holdOutRecallAfter, knownHistories, serveSlates } from './serve.ts'
import type { KnownHistory, Setting } from './serve.ts'
import { readRatings, readSettings } from './settings.ts'
import { splitRatings } from './split.ts'

export const slates: Protocol = {
  check(job) {
    readSettings(job.world)
    methodOf(job)
  },
  async run(job, progress, threads) {
    const { panel, label, seed } = job
    const start = performance.now()
    const engine = await createRunEngine(threads)
    try {
      const settings = readSettings(job.world)
      const log = await readRatings(settings, job.data)
      const split = splitRatings(log, settings, createRandom(seed).fork('split'))
      const model = await loadPretrained(engine, split, settings, seed, progress)
      const results = play({ model, split, settings, seed }, methodOf(job), job.settings)
      const milliseconds = performance.now() - start
      return { panel, method: label, seed, ...results, milliseconds }
    } finally {
      engine.close()
    }
  },
}

type Method = PolicyName | KnownHistory

const isKnownHistory = (method: string): method is KnownHistory => method in knownHistories

/** Throws if a method is neither a policy nor a history, or has unknown settings. */
function methodOf({ method, settings }: RunJob): Method {
  const names = [...policyNames, ...(Object.keys(knownHistories) as KnownHistory[])]
  const name = requireShape(oneOf(...names), method, 'method', 'plan-invalid')
  const known = isKnownHistory(name) ? [] : Object.keys(policies[name].settings)
  const schema = closed(
    Object.fromEntries(known.map((key) => [key, Type.Optional(Type.Unknown())])),
  )
  requireShape(schema, settings, name, 'plan-invalid')
  return name
}

function play(
  setting: Setting,
  method: Method,
  settings: Settings,
): Pick<RunRow, 'at' | 'series' | 'measures'> {
  if (isKnownHistory(method)) {
    return flatCurve(holdOutRecallAfter(setting, method), setting.settings.steps)
  }
  const { engine } = setting.model
  const ownSettings = {
    // REN defaults to `sequential` slates, which are diverse in themselves.
    ...(method === 'ren' && { slate: 'sequential' }),
    // As in the paper's presets.
    ...('designMatrix' in policies[method].settings && { designMatrix: 'rewarded' }),
    ...settings,
  }
  const served = serveSlates(setting, createPolicy(engine, method, ownSettings))
  const greedy = method === 'greedy' ? served : serveSlates(setting, createPolicy(engine, 'greedy'))
  const measures = {
    ...measuresOf(served, greedy),
    ...(setting.settings.timed && timesOf(served)),
  }
  return { ...curvesOf(served), measures }
}
