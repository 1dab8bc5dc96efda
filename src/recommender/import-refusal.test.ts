// Whether the model of a file is refused: only if the blend is worse with it beyond noise.

import { expect, it } from 'vitest'
import { defaultBlend, qualityOf } from '../relevance/index.ts'
import { importRefusalOf } from './judge-model.ts'

const itemCount = 100

/** The decision about a blend with these ranks; the memory alone ranks every item second. */
function refusalOf(served: readonly number[]): string | null {
  const second = served.map(() => 2)
  const ranks = { served, model: second, memory: second, popularity: served.map(() => 50) }
  const of = (method: keyof typeof ranks) => ({ ...qualityOf(ranks[method]), coverage: 1 })
  const quality = {
    served: of('served'),
    model: of('model'),
    memory: of('memory'),
    popularity: of('popularity'),
  }
  return importRefusalOf({ blend: defaultBlend, quality, ranks, isFitted: true }, itemCount)
}

const repeat = (ranks: readonly number[], times: number) =>
  Array.from({ length: times }, () => ranks).flat()

it('accepts a blend that is worse by more than 10%, if that may be noise', () => {
  // The mean gain is 0.50 instead of 0.63: better half of the time, far worse otherwise.
  expect(refusalOf(repeat([1, 100], 5))).toBeNull()
})

it('refuses the same ranks of enough users', () => {
  expect(refusalOf(repeat([1, 100], 200))).toMatch(/^relevance is worse with the model/)
})
