// Runs one contestant in one world, round by round: recommend, receive feedback, and learn at the end
// of every interval (Algorithm 1 of the paper).

import { invalid } from '../core/errors.ts'
import { slateItems } from '../core/events.ts'
import type { Contestant, Environment, Outcome, RankedItem, Round } from './environment.ts'

/** One round of a simulation: the user, the slate and its outcome. */
export interface Row extends Outcome {
  /** The round, counted from 1. */
  readonly step: number
  /** The user of the round. */
  readonly user: string
  /** The names of the shown items, first slot first. */
  readonly slate: readonly string[]
}

/**
 * Runs a simulation and yields one row per round. Stop iterating to end it early.
 *
 * @example
 * ```ts
 * import { createMethod } from 'ren-recommender'
 * import { createEngine } from 'ren-recommender/kernels'
 * import { createSyn, run } from 'ren-recommender/simulation'
 *
 * const world = createSyn({ seed: 1, repeats: 1, steps: 100 })
 * const options = { itemNames: world.itemNames, seed: 1 }
 * const recommender = createMethod(await createEngine(), 'ren-g', options)
 * for (const { step, reward, bestReward } of run(world, recommender)) {
 *   console.log(step, bestReward - reward) // the regret of the round
 * }
 * ```
 */
export function* run(environment: Environment, contestant: Contestant): Generator<Row, void> {
  warmUp(environment, contestant)
  for (let round = environment.nextRound(); round !== null; round = environment.nextRound()) {
    for (const event of round.newEvents ?? []) contestant.observe(event)
    const ranked = requestSlate(contestant, round)
    const slate = ranked.map(({ item }) => item)
    const outcome = environment.respond(round, slate)
    reportOutcome(contestant, round, ranked, outcome)
    if (round.endsInterval) contestant.fineTune()
    yield { step: round.step, user: round.user, slate, ...outcome }
  }
}

function warmUp({ warmUp: start }: Environment, contestant: Contestant): void {
  if (start === undefined) return
  for (const event of start.events) contestant.observe(event)
  for (let i = 0; i < start.fineTunes; i++) contestant.fineTune()
}

function requestSlate(contestant: Contestant, round: Round): readonly RankedItem[] {
  const { user, count, candidates, exclude } = round
  const { items } = contestant.recommend({
    user,
    count,
    ...(candidates && { candidates }),
    ...(exclude && { exclude }),
  })
  if (items.length === 0) {
    throw invalid(`round ${round.step}: the contestant returned an empty slate`)
  }
  return items
}

/** Reports the slate, with rewards if all are known, and then the chosen items. */
function reportOutcome(
  contestant: Contestant,
  { user, time }: Round,
  items: readonly RankedItem[],
  { reported, chosen }: Outcome,
): void {
  const rewards = reported.filter((reward) => reward !== null)
  const known = rewards.length === items.length
  const names = items.map(({ item }) => item)
  const slate = slateItems(names, known ? rewards : undefined).map((item, slot) => {
    const { relevance } = items[slot]!
    return relevance === undefined ? item : { ...item, relevance }
  })
  contestant.observe({ kind: 'recommendation', user, items: slate, time })
  for (const slot of chosen) {
    contestant.observe({
      kind: 'interaction',
      user,
      item: names[slot]!,
      reward: reported[slot]!,
      time,
    })
  }
}
