// The words of the demo: the eight dimensions of the paper's SYN-S world are tastes, each of
// its 28 items has two, and each user likes three. The names are for people; no model looks at them.

import type { ItemPut } from '../../storage/index.ts'
import { pairs, synDimension } from '../../simulation/syn.ts'

const tastes = ['bitter', 'fruity', 'nutty', 'salty', 'smoky', 'sour', 'spicy', 'sweet'] as const

const wordsOf = (dimensions: Iterable<number>): readonly string[] =>
  [...dimensions].map((dimension) => tastes[dimension]!).toSorted()

export const itemName = (dimensions: Iterable<number>): string => wordsOf(dimensions).join(' + ')

/** `number` tells apart who likes the same. */
export const userName = (number: number, likes: Iterable<number>): string =>
  `simulated ${number} (${wordsOf(likes).join(', ')})`

/** The items of every copy of the world. */
export const catalog = (): readonly ItemPut[] =>
  pairs().map((pair) => ({
    item: itemName(pair),
    attributes: { tastes: wordsOf(pair), taste: tastes[colourOf(pair)]! },
  }))

/** One of its two, so that each taste is that of three or four items: a map has one colour an item. */
function colourOf([low, high]: readonly [number, number]): number {
  const half = synDimension / 2
  const isNear = high - low < half || (high - low === half && low % 2 === 0)
  return isNear ? low : high
}
