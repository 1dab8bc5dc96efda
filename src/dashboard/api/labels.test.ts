import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createLabelCache } from './labels.ts'

/** A service that responds with the id as the title, and records the requests. */
function setUp() {
  const requests: (readonly string[])[] = []
  let [time, isDown] = [0, false]
  const cache = createLabelCache(
    async (items) => {
      requests.push(items)
      if (isDown) throw new Error('down')
      return { labels: items.map((item) => ({ item, title: `<${item}>`, image: null })) }
    },
    () => time,
  )
  return {
    cache,
    requests,
    wait: (ms: number) => (time += ms),
    setDown: (down: boolean) => (isDown = down),
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve))

describe('the cache of labels', () => {
  it('requests items that are shown together in one request', async () => {
    const { cache, requests } = setUp()
    const calls: string[] = []
    for (const item of ['a', 'b', 'a']) cache.watch(item, () => calls.push(item))
    expect(cache.get('a').title).toBeNull()
    await settled()
    expect(requests).toEqual([['a', 'b']])
    expect(calls).toEqual(['a', 'a', 'b'])
    expect(cache.get('a').title).toBe('<a>')
  })

  it('requests a label again when it is old, and shows the old one meanwhile', async () => {
    const { cache, requests, wait } = setUp()
    cache.watch('a', () => {})()
    await settled()
    cache.watch('a', () => {})
    await settled()
    expect(requests).toHaveLength(1)
    wait(60_000)
    cache.watch('a', () => {})
    expect(cache.get('a').title).toBe('<a>')
    await settled()
    expect(requests).toHaveLength(2)
  })

  it('shows ids while the service is down, and requests labels again afterwards', async () => {
    const { cache, setDown } = setUp()
    setDown(true)
    cache.watch('a', () => {})
    await settled()
    expect(cache.get('a')).toEqual({ title: null, image: null })
    setDown(false)
    cache.watch('a', () => {})
    await settled()
    expect(cache.get('a').title).toBe('<a>')
  })

  it('never requests more than the service allows at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(3000), async (count) => {
        const { cache, requests } = setUp()
        for (let i = 0; i < count; i++) cache.watch(String(i), () => {})
        await settled()
        expect(requests.flat()).toHaveLength(count)
        expect(Math.max(0, ...requests.map(({ length }) => length))).toBeLessThanOrEqual(1000)
      }),
      { numRuns: 10 },
    )
  })

  it('does not call removed listeners', async () => {
    const { cache } = setUp()
    const stop = cache.watch('a', () => expect.unreachable())
    stop()
    await settled()
    expect(cache.get('a').title).toBe('<a>')
  })
})
