// How unequally something is shared out.

/**
 * G = Σ_i (2i − n − 1)·c_i / (n·Σc) over counts in ascending order, i from 1; those of `itemCount`
 * that are not among the counts have none.
 */
export function gini(counts: readonly number[], itemCount: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return 0
  const first = itemCount - counts.length + 1
  const weighted = counts
    .toSorted((a, b) => a - b)
    .reduce((sum, count, at) => sum + (2 * (first + at) - itemCount - 1) * count, 0)
  return weighted / (itemCount * total)
}
