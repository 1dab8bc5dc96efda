import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import type { ModelVersion } from '../../service/index.ts'
import { newestFirst, unlisted } from './versions.ts'

const versionOf = (group: string, version: number, reward: number | null): ModelVersion => ({
  group,
  version,
  time: 1000 * version,
  position: version,
  loss: null,
  heldOut: null,
  origin: 'fine-tuned',
  quality: null,
  live: null,
  trainedOn: null,
  reward,
  slates: 0,
  available: true,
})
const some = (reward: number | null) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom('a', 'b 1', 'b'), fc.nat(12)), { selector: String })
    .map((all) => all.map(([group, version]) => versionOf(group, version, reward)))
const names = (all: readonly ModelVersion[]): string[] =>
  all.map(({ group, version }) => `${group} v${version}`)

describe('the list of versions', () => {
  it('contains every listed or received version once, newest first, and prefers the list', () => {
    fc.assert(
      fc.property(some(1), some(null), (listed, received) => {
        const all = newestFirst(listed, received)
        expect(new Set(names(all))).toEqual(new Set([...names(listed), ...names(received)]))
        expect(new Set(names(all)).size).toBe(all.length)
        expect(all).toEqual(all.toSorted((a, b) => b.time - a.time))
        expect(all.filter(({ reward }) => reward === 1)).toHaveLength(listed.length)
      }),
    )
  })

  it('retains versions that arrived after the list was sent', () => {
    const [first, second] = [versionOf('a', 1, 0.5), versionOf('a', 2, null)]
    expect(unlisted([first, second], [first])).toEqual([second])
    expect(newestFirst([first], [second])).toEqual([second, first])
  })
})
