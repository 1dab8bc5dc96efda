// Slates for users without events at first. The items of a slate that a user has rated join the
// user's history, and the model learns nothing else.

import type { ExplorationPolicy } from '../../exploration/index.ts'
import type { Recommender } from '../../recommender/index.ts'
import { precision } from '../../simulation/index.ts'
import { createJudge } from './judge.ts'
import type { Judge } from './judge.ts'
import { recommenderOf, take } from './recommenders.ts'
import type { Setting } from './recommenders.ts'
import type { TestedUser } from './split.ts'

/** What is measured after each step; recall counts all slates so far, precision the last. */
export type Curve = 'holdOutRecall' | 'explorationRecall' | 'precision'

/** One user's slates, and what came of them. */
export interface Served extends Readonly<Record<Curve, readonly number[]>> {
  readonly slates: readonly (readonly string[])[]
  /** What it took to choose all of them. */
  readonly milliseconds: number
}

/** The slates of every tested user; each is served as if there were no other. */
export function serveSlates(setting: Setting, policy: ExplorationPolicy): readonly Served[] {
  const { tested, holdOut } = setting.split
  const server = recommenderOf(setting, policy, holdOut)
  const judge = createJudge(setting)
  return tested.map((user) => serveUser(setting, server, judge, user))
}

function serveUser(
  { settings: { steps, slateSize: count, exclude } }: Setting,
  server: Recommender,
  judge: Judge,
  tested: TestedUser,
): Served {
  const user = tested.name
  const wanted = new Set(tested.exploration)
  const [shown, found] = [new Set<string>(), new Set<string>()]
  const barred = { shown, hits: found, nothing: new Set<string>() }[exclude]
  const curves: Record<Curve, number[]> = {
    holdOutRecall: [],
    explorationRecall: [],
    precision: [],
  }
  const slates: string[][] = []
  let milliseconds = 0
  for (let step = 0; step < steps; step++) {
    const start = performance.now()
    const { items } = server.recommend({ user, count, exclude: [...barred] })
    milliseconds += performance.now() - start
    const slate = items.map(({ item }) => item)
    const hits = slate.filter((item) => wanted.has(item) && !found.has(item))
    server.observe({ kind: 'shown', user, items: slate, time: step })
    take(server, user, hits, step)
    judge.learn(tested, hits)
    slates.push(slate)
    for (const item of slate) shown.add(item)
    for (const item of hits) found.add(item)
    curves.holdOutRecall.push(judge.holdOutRecall(tested))
    curves.explorationRecall.push(found.size / wanted.size)
    curves.precision.push(precision(slate.map((item) => wanted.has(item))))
  }
  return { ...curves, slates, milliseconds }
}
