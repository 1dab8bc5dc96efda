import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createRandom } from '../core/random.ts'
import { normalCdf, normalDensity } from '../core/statistics.ts'
import type { Objective, RewardEvidence } from '../core/types.ts'
import { expectedReward, itemUncertainty, possibleGain, posterior } from './expected-rewards.ts'
import { mergedPairs, PairMemory, rememberedItems } from './pair-memory.ts'
import { addReward, choiceNoise, compare } from './pair-evidence.ts'
import { RewardModel } from './reward-model.ts'

const itemCount = 12

interface Show {
  readonly user: number
  readonly items: readonly number[]
  readonly relevance: readonly number[]
  /** The reward of every item; only the reported ones are reported. */
  readonly rewards: readonly number[]
  readonly isReported: boolean
  /** The slot that the user chooses, if not all is reported. */
  readonly choice: number
}

const shows = fc.array(
  fc
    .record({
      user: fc.nat(2),
      items: fc.uniqueArray(fc.nat(itemCount - 1), { minLength: 1, maxLength: 4 }),
      isReported: fc.boolean(),
      choice: fc.nat(3),
      numbers: fc.array(fc.integer({ min: -32, max: 64 }), { minLength: 8, maxLength: 8 }),
    })
    .map(({ numbers, choice, ...rest }): Show => {
      const relevance = numbers.slice(0, 4).map((n) => n / 32)
      const rewards = numbers.slice(4).map((n) => n / 64)
      return { ...rest, relevance, rewards, choice: choice % rest.items.length }
    }),
  { maxLength: 40 },
)
const objectives = fc.constantFrom<Objective>('sum', 'best')

/** The model and the memories after some shows; all rewards are multiplied by `scale`. */
function fold(objective: Objective, history: readonly Show[], scale = 1) {
  const model = new RewardModel(objective, itemCount)
  const memories = [new PairMemory(), new PairMemory(), new PairMemory()]
  for (const show of history) apply(model, memories[show.user]!, show, scale)
  return { model, memories }
}

function apply(model: RewardModel, memory: PairMemory, show: Show, scale = 1): void {
  const { items, relevance, rewards, isReported, choice } = show
  model.offered(memory, items, relevance)
  const reported = items.map((_, slot) => (isReported ? scale * rewards[slot]! : Number.NaN))
  model.shown(memory, { items, rewards: reported })
  if (!isReported)
    model.answered(memory, { items, rewards: reported }, choice, scale * rewards[choice]!)
}

const evidenceOf = ({ model, memories }: ReturnType<typeof fold>, user = 0): RewardEvidence =>
  model.evidenceOf(memories[user]!, 0)

/** M, S² and the item uncertainty of every item at relevance ½. */
const termsOf = (evidence: RewardEvidence, memory: PairMemory) =>
  Array.from({ length: itemCount }, (_, item) => ({
    ...expectedReward(evidence, { item, relevance: 0.5, place: memory.find(item) }),
    uncertainty: itemUncertainty(evidence, item),
  }))

describe('the reward model', () => {
  it('has finite estimates and positive variances', () => {
    fc.assert(
      fc.property(objectives, shows, (objective, history) => {
        const folded = fold(objective, history)
        const evidence = evidenceOf(folded)
        const { largest: _, isCalibrated: __, ...estimates } = evidence.estimates
        for (const value of Object.values(estimates)) expect(Number.isFinite(value)).toBe(true)
        expect(estimates.pairVariance).toBeGreaterThan(0)
        expect(estimates.noiseVariance).toBeGreaterThan(0)
        expect(estimates.relevanceSlope).toBeGreaterThanOrEqual(0)
        expect(estimates.effectSlope).toBeGreaterThanOrEqual(0)
        for (const { mean, variance } of termsOf(evidence, folded.memories[0]!)) {
          expect(Number.isFinite(mean)).toBe(true)
          expect(variance).toBeGreaterThan(0)
          expect(variance).toBeLessThanOrEqual(estimates.pairVariance)
        }
      }),
    )
  })

  it('gives c times the expected rewards for c times the rewards', () => {
    fc.assert(
      fc.property(objectives, shows, fc.constantFrom(1 / 1024, 2, 64), (objective, history, c) => {
        // A first reward of 0 has no scale, so the prior scale of rewards would count.
        const first = history.find(({ isReported }) => isReported || objective === 'best')
        fc.pre(first !== undefined && first.rewards.every((reward) => reward !== 0))
        // Nor has relevance, as long as it was always 0.
        fc.pre(first.items.some((_, slot) => first.relevance[slot] !== 0))
        const relevant = history.slice(history.indexOf(first))
        const [one, other] = [fold(objective, relevant), fold(objective, relevant, c)]
        const scaled = termsOf(evidenceOf(other), other.memories[0]!)
        for (const [item, terms] of termsOf(evidenceOf(one), one.memories[0]!).entries()) {
          expect(scaled[item]!.mean).toBeCloseTo(c * terms.mean, 5 - Math.log10(c))
          expect(scaled[item]!.variance / (c * c * terms.variance)).toBeCloseTo(1, 4)
          expect(scaled[item]!.uncertainty).toBeCloseTo(terms.uncertainty, 10)
        }
      }),
    )
  })

  it('does not depend on the order of items in a slate whose rewards are reported', () => {
    const show = (order: readonly number[]): Show => ({
      user: 0,
      items: order,
      relevance: order.map((item) => item / 10),
      rewards: order.map((item) => (item % 3) / 2),
      isReported: true,
      choice: 0,
    })
    const orders = [
      [0, 1, 2, 3],
      [3, 1, 0, 2],
    ]
    const [one, other] = orders.map((order) => fold('sum', [show(order)]))
    const items = [0, 1, 2, 3]
    const means = [one!, other!].map((folded) =>
      items.map((item) => {
        const place = folded.memories[0]!.find(item)
        return expectedReward(evidenceOf(folded), { item, relevance: 0.1, place }).mean
      }),
    )
    for (const item of items) expect(means[1]![item]).toBeCloseTo(means[0]![item]!, 2)
    expect(evidenceOf(one!).shows).toEqual(evidenceOf(other!).shows)
    expect(evidenceOf(one!).targets).toEqual(evidenceOf(other!).targets)
  })

  it('counts a late reward like one that came with the slate', () => {
    const reported = fold('sum', [])
    const late = fold('sum', [])
    const items = [2, 5, 7]
    const [none, hit] = [
      [0, 0, 0],
      [0, 1, 0],
    ]
    for (const { model, memories } of [reported, late])
      model.offered(memories[0]!, items, [0.1, 0.4, 0.2])
    reported.model.shown(reported.memories[0]!, { items, rewards: hit })
    const unreported = none.map(() => Number.NaN)
    late.model.shown(late.memories[0]!, { items, rewards: unreported })
    late.model.answered(late.memories[0]!, { items, rewards: unreported }, 1, 1)
    const [a, b] = [evidenceOf(reported), evidenceOf(late)]
    expect(b.shows).toEqual(a.shows)
    expect(b.targets).toEqual(a.targets)
    expect(b.estimates.mean).toBeCloseTo(a.estimates.mean, 3)
    expect(b.estimates.noiseVariance).toBeCloseTo(a.estimates.noiseVariance, 12)
    expect(b.estimates.shrinkage).toBe(a.estimates.shrinkage)
    const meanOf = ({ memories: [memory] }: ReturnType<typeof fold>) => {
      const at = memory!.find(5)
      return memory!.columns.weighted[at]! / memory!.columns.precision[at]!
    }
    expect(meanOf(reported)).toBeCloseTo(1, 5)
    expect(meanOf(late)).toBeCloseTo(1, 5)
  })

  it('continues to the bit from a saved state', () => {
    fc.assert(
      fc.property(objectives, shows, shows, (objective, before, after) => {
        const one = fold(objective, before)
        const model = new RewardModel(objective, itemCount)
        expect(model.restore(one.model.save())).toBe(true)
        const memories = one.memories.map((memory) => PairMemory.restored(memory.saved()))
        for (const show of after) {
          apply(one.model, one.memories[show.user]!, show)
          apply(model, memories[show.user]!, show)
        }
        expect(model.save()).toEqual(one.model.save())
        expect(memories.map((memory) => memory.saved())).toEqual(
          one.memories.map((memory) => memory.saved()),
        )
        expect(model.evidenceOf(null, 0)).toEqual(one.model.evidenceOf(null, 0))
      }),
      { numRuns: 30 },
    )
  })

  it('refuses a saved state of another catalog', () => {
    const saved = new RewardModel('sum', 3).save()
    expect(new RewardModel('sum', 4).restore(saved)).toBe(false)
  })

  it('retains its estimates when items are added', () => {
    const { model, memories } = fold('sum', [])
    const items = [1, 2]
    model.offered(memories[0]!, items, [1, 1])
    model.shown(memories[0]!, { items, rewards: [1, 0] })
    model.addItems(3)
    const { shows: counts, targets } = model.evidenceOf(null, 0)
    expect([...counts]).toEqual([0, 1, 1, ...Array.from({ length: itemCount }, () => 0)])
    expect(targets[1]).toBe(1)
  })

  it('learns that a chosen item is better than the others', () => {
    const folded = fold('best', [])
    const memory = folded.memories[0]!
    const items = [4, 6, 8]
    for (let visit = 0; visit < 5; visit++) {
      const unknown = items.map(() => Number.NaN)
      folded.model.offered(memory, items, [0, 0, 0])
      folded.model.shown(memory, { items, rewards: unknown })
      folded.model.answered(memory, { items, rewards: unknown }, 2, 0.8)
    }
    const mean = (item: number) =>
      expectedReward(evidenceOf(folded), { item, relevance: 0, place: memory.find(item) }).mean
    expect(mean(8)).toBeCloseTo(0.8, 2)
    for (const item of [4, 6]) expect(mean(item)).toBeLessThan(0.8)
  })
})

describe('noisy choices', () => {
  it('have the expected squared noise of a choice', () => {
    const variances = fc.double({ min: 0.001, max: 1, noNaN: true })
    fc.assert(
      fc.property(
        fc.double({ min: -1, max: 1, noNaN: true }),
        variances,
        variances,
        (lead, spread, noise) => {
          // The pick wins if lead + d + e > 0, with d ~ N(0, spread) and e ~ N(0, noise).
          const [root, step] = [Math.sqrt(noise), 0.01]
          let [total, squares] = [0, 0]
          // A pick that was far behind wins only by noise of about the size of its lead.
          const to = 8 + Math.max(0, -lead) / root
          for (let x = -8; x <= to; x += step) {
            const e = root * x
            const weight = normalDensity(x) * normalCdf((lead + e) / Math.sqrt(spread))
            total += weight
            squares += weight * e * e
          }
          const [pick, loser] = [
            { mean: lead, variance: spread / 3 },
            { mean: 0, variance: (2 * spread) / 3 },
          ]
          expect(choiceNoise(pick, loser, noise / 2)).toBeCloseTo(squares / total, 4)
        },
      ),
      { numRuns: 50 },
    )
  })

  /** One user who chooses one of three items with these rewards, by their utilities. */
  function choose(deviation: number, visits: number) {
    const random = createRandom(1)
    const { model, memories } = fold('best', [])
    const items = [0, 1, 2]
    for (let visit = 0; visit < visits; visit++) {
      const rewards = [0.8, 0.4, 0.4]
      const utilities = rewards.map((reward) => reward + deviation * random.normal())
      const chosen = utilities.indexOf(Math.max(...utilities))
      const unknown = items.map(() => Number.NaN)
      model.offered(memories[0]!, items, [0, 0, 0])
      model.shown(memories[0]!, { items, rewards: unknown })
      model.answered(memories[0]!, { items, rewards: unknown }, chosen, rewards[chosen]!)
    }
    return evidenceOf({ model, memories })
  }

  it('are recognized as noisy, so that they do not erase what the user has shown', () => {
    const evidence = choose(0.2, 600)
    const { choiceVariance } = evidence.estimates
    expect(choiceVariance).toBeGreaterThan(0.02)
    expect(choiceVariance).toBeLessThan(0.06)
    const mean = (place: number) =>
      expectedReward(evidence, { item: evidence.pairs.columns.items[place]!, relevance: 0, place })
    const place = evidence.pairs.columns.items.indexOf(0)
    expect(mean(place).mean).toBeCloseTo(0.8, 1)
    expect(mean(place).variance).toBeLessThan(0.001)
  })

  it('are recognized as exact', () => {
    expect(choose(0, 600).estimates.choiceVariance).toBeLessThan(0.003)
  })
})

describe('the evidence of a pair', () => {
  it('never makes the pair less certain', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ reward: fc.double({ min: -1, max: 1, noNaN: true }), wins: fc.boolean() }),
          {
            minLength: 1,
            maxLength: 20,
          },
        ),
        fc.double({ min: -3, max: 3, noNaN: true }),
        (evidence, prior) => {
          const memory = new PairMemory()
          const pairs = [0, 1].map((item) => ({ at: memory.touch(item), prior: prior * item }))
          const [one, other] = pairs as [(typeof pairs)[0], (typeof pairs)[0]]
          const variances = () => pairs.map((pair) => posterior(memory.columns, pair, 0.3).variance)
          for (const { reward, wins } of evidence) {
            const before = variances()
            const noise = { priorVariance: 0.3, choiceVariance: 0.01 }
            if (wins) compare(memory.columns, one, other, noise)
            else addReward(memory.columns, one.at, reward, 0.02)
            for (const [i, variance] of variances().entries()) {
              expect(variance).toBeLessThanOrEqual(before[i]! * (1 + 1e-6))
            }
          }
        },
      ),
    )
  })
})

describe('the possible gain', () => {
  it('never falls as the expected reward rises', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -2, max: 2, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: -2, max: 2, noNaN: true }),
        fc.nat(500),
        (mean, rise, threshold, firstShows) => {
          const evidence = {
            estimates: { largest: 0.8, firstShows },
          } as RewardEvidence
          const gain = (at: number) =>
            possibleGain(evidence, { mean: at, variance: 0.09 }, threshold)
          expect(gain(mean + rise)).toBeGreaterThanOrEqual(gain(mean) - 1e-6)
        },
      ),
    )
  })
})

describe('the memory of a user', () => {
  it('drops the item that was touched longest ago', () => {
    const memory = new PairMemory()
    for (let item = 0; item < rememberedItems; item++) memory.touch(item)
    memory.touch(0)
    memory.touch(rememberedItems)
    expect(memory.length).toBe(rememberedItems)
    expect(memory.find(1)).toBe(-1)
    expect(memory.find(0)).toBe(rememberedItems - 2)
  })

  it('adds up the evidence of two users who are one', () => {
    fc.assert(
      fc.property(shows, (history) => {
        const { model, memories } = fold('sum', history)
        const [one, other] = memories as [PairMemory, PairMemory]
        const merged = mergedPairs(one, other)
        for (let item = 0; item < itemCount; item++) {
          const sumOf = (name: 'precision' | 'weighted') =>
            [one, other].reduce((sum, memory) => {
              const at = memory.find(item)
              return at < 0 ? sum : Math.fround(sum + memory.columns[name][at]!)
            }, 0)
          const at = merged.find(item)
          if (at < 0) continue
          expect(merged.columns.precision[at]).toBe(sumOf('precision'))
          expect(merged.columns.weighted[at]).toBe(sumOf('weighted'))
        }
        expect(new Set(merged.saved().items)).toEqual(
          new Set([...one.saved().items, ...other.saved().items]),
        )
        expect(model.objective).toBe('sum')
      }),
    )
  })
})

describe('interactions outside slates', () => {
  it('count as shows of their items, unless only slates count', () => {
    for (const source of ['all', 'slates'] as const) {
      const model = new RewardModel('sum', itemCount, source)
      const before = model.save()
      model.interacted(1, 1)
      expect(model.save().get('shows')?.[1]).toBe(source === 'all' ? 1 : 0)
      if (source === 'slates') expect(model.save()).toEqual(before)
    }
  })
})
