// The slate, naively: every item is scored exactly before every pick.

import { NEVER } from '../contract/slate.ts'
import { tieHash } from '../tie-hash.ts'
import { bonus, growWhitening, whiteningOf } from '../whitening.ts'
import type { KernelTheme } from './views.ts'

const smallest = 2 ** -149 // of float32: what a weight may lose by rounding

export const slate: KernelTheme<'scoreBounds' | 'pickSlate'> = ({ f32, f64, i32 }) => ({
  scoreBounds(
    rows,
    columns,
    diversityWeight,
    uncertaintyWeight,
    itemsAddress,
    userAddress,
    normsAddress,
    uncertaintyAddress,
    boundsAddress,
  ) {
    const user = f32(userAddress, columns)
    const norms = f32(normsAddress, rows)
    const uncertainty = f32(uncertaintyAddress, rows)
    const bounds = f32(boundsAddress, rows)
    const width = Math.sqrt(user.reduce((sum, value) => sum + value * value, 0))
    // What float32 can lose in a dot product or a norm of this many terms, and in a few roundings.
    const [long, short] = [(columns + 16) * 2 ** -23, 2 ** -22]
    const perNorm = diversityWeight + long * (diversityWeight + width) + smallest
    // What underflow can take: squares below 2⁻¹⁵⁰ from a norm, products from a dot product.
    const lost = (perNorm + width) * Math.sqrt(columns) * 5.3e-23 + columns * smallest
    for (let k = 0; k < rows; k++) {
      const item = f32(itemsAddress + 4 * k * columns, columns)
      const relevance = item.reduce((sum, value, j) => sum + value * user[j]!, 0)
      const norm = perNorm * norms[k]!
      const unknown = uncertaintyWeight * uncertainty[k]!
      const sizes = Math.abs(relevance) + norm + Math.abs(unknown)
      bounds[k] = relevance + norm + unknown + short * sizes + lost
    }
  },

  pickSlate(
    sequential,
    onward,
    rows,
    columns,
    visits,
    count,
    diversityWeight,
    uncertaintyWeight,
    _slack,
    tieSeed,
    itemsAddress,
    userAddress,
    historyAddress,
    uncertaintyAddress,
    boundsAddress,
    labelsAddress,
    whiteningAddress,
    _scratchAddress,
    picksAddress,
    termsAddress,
  ) {
    const item = (k: number) => f32(itemsAddress + 4 * k * columns, columns)
    const w = f64(whiteningAddress, columns * columns)
    if (!onward) w.set(whiteningOf(columns, []))
    for (let v = 0; v < visits; v++) {
      growWhitening(columns, w, f32(historyAddress + 4 * v * columns, columns))
    }
    const [user, uncertainty] = [f32(userAddress, columns), f32(uncertaintyAddress, rows)]
    const [bounds, labels] = [f32(boundsAddress, rows), i32(labelsAddress, rows)]
    const [picks, terms] = [i32(picksAddress, count), f32(termsAddress, 3 * count)]
    const relevance = Float64Array.from({ length: rows }, (_, k) => wideDot(item(k), user))
    const left = new Set([...bounds.keys()].filter((k) => bounds[k]! > NEVER))
    let picked = 0
    for (; picked < count && left.size > 0; picked++) {
      let best = { k: -1, score: 0, diversity: 0, tie: 0 }
      for (const k of left) {
        const diversity = bonus(columns, w, item(k))
        const score =
          relevance[k]! + diversityWeight * diversity + uncertaintyWeight * uncertainty[k]!
        const tie = tieHash(tieSeed, labels[k]!)
        const isBetter = score > best.score || (score === best.score && tie < best.tie)
        if (best.k < 0 || isBetter) best = { k, score, diversity, tie }
      }
      left.delete(best.k)
      picks[picked] = best.k
      terms.set([relevance[best.k]!, best.diversity, uncertainty[best.k]!], 3 * picked)
      if (sequential) growWhitening(columns, w, item(best.k))
    }
    return picked
  },
})

/** x·y in float64, even and odd terms apart, as the fast kernel does it. */
function wideDot(x: Float32Array, y: Float32Array): number {
  let [even, odd] = [0, 0]
  for (let j = 0; j < x.length; j += 2) even += x[j]! * y[j]!
  for (let j = 1; j < x.length; j += 2) odd += x[j]! * y[j]!
  return even + odd
}
