// One call of the slate kernel.

import { slateScratch } from '../kernels/index.ts'
import type { Engine, IndexTensor, Tensor, Workspace } from '../kernels/index.ts'
import type { ScoredItem } from './policy.ts'

/** Rows with an upper bound for the score of each, NEVER where one may not be picked. */
export interface Field {
  /** Vectors (rows × d). */
  readonly items: Tensor
  /** The catalog's number of each row. */
  readonly labels: IndexTensor
  /** ‖μ‖, or any other upper bound of √(μᵀA⁻¹μ). */
  readonly norms: Tensor
  readonly uncertainty: Tensor
  readonly bounds: Tensor
}

/** What scores are made of. */
export interface ScoreTerms {
  readonly diversityWeight: number
  readonly uncertaintyWeight: number
  /** λ_u·σ + offset of every row, in place of λ_u·σ; absent where there are no offsets. */
  readonly shifted?: Tensor | undefined
  /** θ (1 × d). */
  readonly user: Tensor
  /** Vectors of the visited items (visits × d); where `onward`, of those that W has not seen yet. */
  readonly history: Tensor
  readonly onward: boolean
  /** Room for W. */
  readonly whitening: Tensor
  readonly sequential: boolean
  readonly tieSeed: number
  /** At least what rounding can add to a score when A grows. */
  readonly slack: number
}

/** At most as many as there are rows. */
export function runSlate(
  engine: Engine,
  workspace: Workspace,
  { items, labels, uncertainty, bounds }: Field,
  terms: ScoreTerms,
  count: number,
): ScoredItem[] {
  const picks = workspace.list(nameFor('picks', count), count)
  const out = workspace.matrix(nameFor('terms', count), count, 3)
  const scratch = workspace.matrix('scratch', 1, slateScratch(items.rows, items.columns))
  const { diversityWeight, uncertaintyWeight, shifted } = terms
  const picked = engine.trusted.pickSlate({
    sequential: terms.sequential,
    onward: terms.onward,
    diversityWeight,
    uncertaintyWeight: shifted ? 1 : uncertaintyWeight,
    slack: terms.slack,
    tieSeed: terms.tieSeed,
    items,
    user: terms.user,
    history: terms.history,
    uncertainty: shifted ?? uncertainty,
    bounds,
    labels,
    whitening: terms.whitening,
    scratch,
    picks,
    terms: out,
  })
  const [rows, values, names] = [picks.values, out.values, labels.values]
  const sigma = uncertainty.values
  const scored: ScoredItem[] = []
  for (let place = 0; place < picked; place++) {
    const row = rows[place]!
    const product = values[3 * place]!
    const diversity = values[3 * place + 1]!
    const bonus = uncertaintyWeight * sigma[row]!
    const third = shifted ? values[3 * place + 2]! : bonus
    scored.push({
      item: names[row]!,
      score: product + (diversityWeight * diversity + third),
      diversity,
      uncertainty: sigma[row]!,
      // What rounding the shifted term has lost is in here, so that the terms add up to the score.
      relevance: shifted ? product + (third - bonus) : product,
    })
  }
  return scored
}

/** Up to so many picks, each number of them has room of its own. */
const maxOwnRoom = 32
const ownNames = {
  picks: Array.from({ length: maxOwnRoom + 1 }, (_, count) => `picks${count}`),
  terms: Array.from({ length: maxOwnRoom + 1 }, (_, count) => `terms${count}`),
}

/** A request picks twice, some leaders and then few items: one room for both would be allocated again each time. */
const nameFor = (what: keyof typeof ownNames, count: number): string =>
  count <= maxOwnRoom ? ownNames[what][count]! : what
