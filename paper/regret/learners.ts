// The algorithms for a linear bandit, by name: BaseREN, SupREN, LinUCB and random choice.

import { Type } from 'typebox'
import type { Static, TSchema } from 'typebox'

import { RenError } from '../../src/core/errors.ts'
import type { Random } from '../../src/core/random.ts'
import type { Settings } from '../../src/experiments/protocol.ts'
import { requireShape, closed, notNegative, oneOf } from '../../src/experiments/schema.ts'
import { largest } from '../../src/exploration/base-ren.ts'
import {
  confidenceWeights,
  createBaseRen,
  createCountUncertainty,
  createSupRen,
} from '../../src/exploration/index.ts'
import type {
  ArmEstimate,
  BanditProblem,
  BaseRenOptions,
  SupRenChoice,
} from '../../src/exploration/index.ts'
import type { LinearBandit } from './linear-bandit.ts'

/** The part of a bandit that a learner can read. */
export type BanditView = Pick<LinearBandit, 'contexts' | 'impressions' | 'round'>

/** The chosen item. Some learners add its estimate and a reason. */
export interface LearnerChoice
  extends Pick<ArmEstimate, 'item'>, Partial<Pick<SupRenChoice, 'reason'>> {
  /** The estimate of the item. */
  readonly estimate?: ArmEstimate
  /** The estimates of all items, if the learner computes them. */
  readonly estimates?: readonly ArmEstimate[]
}

export interface Learner {
  choose(bandit: BanditView): LearnerChoice
  /** Receives the reward of the item that was chosen last. */
  observe(reward: number): void
}

export interface LearnerKind {
  /** Throws if a setting is unknown. */
  check(settings: Settings): void
  create(settings: Settings, problem: BanditProblem, random: Random): Learner
}

/** The ‖σ_k‖∞ that the learner receives: 0, 1/√max(n_k, 1) or 1/√t. */
const uncertainty = oneOf('none', 'impressions', 'rounds')
const renSettings = closed({
  scale: Type.Optional(notNegative),
  uncertainty: Type.Optional(uncertainty),
})

const kinds: Readonly<Record<string, LearnerKind>> = {
  'base-ren': define(renSettings, ({ scale = 1, uncertainty: rule }, problem) =>
    baseRen({ ...problem, scale }, uncertaintyBy(rule, problem)),
  ),
  'sup-ren': define(renSettings, ({ scale = 1, uncertainty: rule }, problem) => {
    const sup = createSupRen({ ...problem, scale })
    const now = uncertaintyBy(rule, problem)
    return {
      choose(bandit) {
        const choice = sup.choose(bandit.contexts, now(bandit))
        return { item: choice.item, estimate: choice, reason: choice.reason }
      },
      observe: (reward) => sup.observe(reward),
    }
  }),
  // BaseREN with a width of α·√(μᵀA⁻¹μ).
  'lin-ucb': define(
    closed({ bonusWeight: Type.Optional(notNegative) }),
    ({ bonusWeight = 0.1 }, problem) => {
      const scale = bonusWeight / confidenceWeights(problem).diversityWeight
      return baseRen({ ...problem, scale }, uncertaintyBy('none', problem))
    },
  ),
  random: define(closed({}), (_, { itemCount }, random) => ({
    choose: () => ({ item: random.integer(itemCount) }),
    observe() {},
  })),
}

export function learnerOf(name: string): LearnerKind {
  if (Object.hasOwn(kinds, name)) return kinds[name]!
  const known = Object.keys(kinds).join(', ')
  throw new RenError('plan-invalid', `method must be one of ${known}, got ${name}`)
}

function define<T extends TSchema>(
  schema: T,
  create: (settings: Static<T>, problem: BanditProblem, random: Random) => Learner,
): LearnerKind {
  const read = (settings: Settings): Static<T> =>
    requireShape(schema, settings, 'settings', 'plan-invalid')
  return {
    check: (settings) => void read(settings),
    create: (settings, problem, random) => create(read(settings), problem, random),
  }
}

type UncertaintyNow = (bandit: BanditView) => Float32Array

function baseRen(options: BaseRenOptions, now: UncertaintyNow): Learner {
  const base = createBaseRen(options)
  const { dimension: d } = options
  let open = { round: 0, context: [] as number[] }
  return {
    choose(bandit) {
      const { contexts, round } = bandit
      const estimates = base.estimateAll(contexts, now(bandit))
      const estimate = largest(estimates, 'upperBound')
      const start = estimate.item * d
      open = { round, context: [...contexts.subarray(start, start + d)] }
      return { item: estimate.item, estimate, estimates }
    },
    observe: (reward) => base.observe({ ...open, reward }),
  }
}

function uncertaintyBy(
  rule: Static<typeof uncertainty> = 'none',
  { itemCount }: BanditProblem,
): UncertaintyNow {
  const values = new Float32Array(itemCount)
  const counts = createCountUncertainty()
  return ({ impressions, round }) => {
    if (rule === 'impressions') counts.estimate({ impressions }, values)
    if (rule === 'rounds') values.fill(1 / Math.sqrt(round))
    return values
  }
}
