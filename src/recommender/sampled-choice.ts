// One choice against a sample of the catalog, for fitting the weights of a blend: some of the items
// that the memory knows, some of the others, each standing for those of its kind that were not drawn.

import type { Random } from '../core/random.ts'
import type { ItemIndex } from '../core/types.ts'
import { partNames } from '../relevance/index.ts'
import type { Choice, PartName } from '../relevance/index.ts'

/** What the parts say of every item; a part that is missing says 0. */
export type PartColumns = Readonly<Partial<Record<PartName, Float32Array>>>

export interface SampledChoice {
  readonly columns: PartColumns
  /** Items that the memory knows something about. */
  readonly remembered: Int32Array
  /** The chosen item. */
  readonly item: ItemIndex
  /** Items that could not be chosen. */
  readonly seen: ReadonlySet<ItemIndex>
  readonly itemCount: number
  /** The largest number of items drawn of those that the memory knows. */
  readonly nearItems: number
  /** Items drawn from the whole catalog, of which those of the other kind count. */
  readonly farDraws: number
  readonly random: Random
}

export function sampledChoice(sample: SampledChoice): Choice {
  const { columns, item, seen, itemCount, nearItems, farDraws, random } = sample
  const isOther = (other: ItemIndex): boolean => other !== item && !seen.has(other)
  const remembered = sample.remembered.filter(isOther)
  const isRemembered = new Set(remembered)
  const near = draw(remembered, nearItems, random)
  const all = Int32Array.from(random.choose(Math.min(farDraws, itemCount), itemCount))
  const far = all.filter((other) => isOther(other) && !isRemembered.has(other))
  const farCount = Math.max(0, itemCount - seen.size - remembered.length - 1)
  const counts = [
    ...Array.from(near, () => remembered.length / near.length),
    ...Array.from(far, () => farCount / far.length),
  ]
  return choiceOf(columns, item, [...near, ...far], counts)
}

/**
 * A choice of an item among others.
 *
 * @param counts How many items each of the others stands for. Defaults to 1.
 */
export function choiceOf(
  columns: PartColumns,
  item: ItemIndex,
  others: readonly ItemIndex[],
  counts: readonly number[] = others.map(() => 1),
): Choice {
  const rows = [item, ...others]
  const features = new Float32Array(rows.length * partNames.length)
  for (const [row, of] of rows.entries()) {
    for (const [i, part] of partNames.entries()) {
      features[row * partNames.length + i] = columns[part]?.[of] ?? 0
    }
  }
  return { features, counts: Float32Array.of(1, ...counts) }
}

function draw(items: Int32Array, most: number, random: Random): Int32Array {
  if (items.length <= most) return items
  return Int32Array.from(random.choose(most, items.length), (at) => items[at]!)
}
