// One variant of the demo: simulated users of one copy of the world, who ask the service as
// anybody does and tell it what they took and what they did not like.

import { createTally, createSyn } from '../../simulation/index.ts'
import type { Outcome, Round } from '../../simulation/index.ts'
import { mean } from '../../core/statistics.ts'
import type { DemoVariant, Service, UserEvent } from '../../service/index.ts'
import type { Entrant, Pace } from './settings.ts'
import { itemName } from './tastes.ts'

export interface Player {
  /** Plays up to that round, unless it has. After a failure it can be asked again. */
  playTo(round: number): Promise<void>
  describe(): DemoVariant
}

export interface PlayerOptions {
  readonly service: Pick<Service, 'recommend' | 'record'>
  readonly entrant: Entrant
  readonly rounds: Pace['rounds']
  /** The name of a user with these likes whom the variant serves. */
  readonly newUser: (likes: ReadonlySet<number>) => string
}

/** The mean of so many rounds is a point of the curve: fewer are noise. */
const smoothing = 60
const maxPoints = 300

export function createPlayer({ service, entrant, rounds, newUser }: PlayerOptions): Player {
  const { name: variant, policy, seed } = entrant
  const world = createSyn({ seed, repeats: 1, steps: rounds, feedback: 'shown' })
  const worldItems = new Map(world.itemNames.map((item) => [nameOf(item), item]))
  const users = new Map<string, string>()
  const tally = createTally({ itemCount: worldItems.size })
  const { rewards, regrets } = tally
  const pointEvery = 10 * Math.ceil(rounds / 10 / maxPoints)
  const curves = { at: [] as number[], reward: [] as number[], regret: [] as number[] }
  let round: Round | null = null

  function nameOf(item: string): string {
    return itemName(world.dimensionsOf(item))
  }

  function userOf(asking: Round): string {
    const known = users.get(asking.user)
    if (known !== undefined) return known
    const user = newUser(world.likesNow())
    users.set(asking.user, user)
    return user
  }

  async function play(asking: Round): Promise<void> {
    const user = userOf(asking)
    const { items, recommendationId } = await service.recommend({ user, count: asking.count })
    const names = items.map(({ item }) => item)
    const slate = names.map((name) => worldItems.get(name)!)
    const outcome = world.respond(asking, slate)
    await service.record(answersTo({ user, recommendationId: recommendationId! }, names, outcome))
    tally.add({ step: asking.step, user, slate, ...outcome })
    if (rewards.length % pointEvery === 0) addPoint()
  }

  function addPoint(): void {
    curves.at.push(rewards.length)
    curves.reward.push(mean(rewards.slice(-smoothing)))
    curves.regret.push(regrets.at(-1)!)
  }

  return {
    async playTo(wanted) {
      while (rewards.length < wanted) {
        round ??= world.nextRound()!
        await play(round)
        round = null
      }
    },
    describe: () => ({ variant, policy, seed, ...structuredClone(curves) }),
  }
}

/**
 * Reports the chosen item with its reward, and the items with reward 0. It does not report the other
 * items: the service counts each reported reward as an interaction, and these were not chosen.
 */
function answersTo(
  asked: Pick<UserEvent, 'user' | 'recommendationId'>,
  items: readonly string[],
  { reported, taken }: Outcome,
): readonly UserEvent[] {
  const answers = items.map((item, slot) => ({ ...asked, item, reward: reported[slot]! }))
  const disliked = answers.filter(({ reward }, slot) => reward === 0 && !taken.includes(slot))
  return [...disliked, ...taken.map((slot) => answers[slot]!)]
}
