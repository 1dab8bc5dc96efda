// The kernels in a real browser: the published files, unbundled, computing in a page.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkout, run } from '../../scripts/checkout.ts'
import { hasChromium } from '../../scripts/ensure-chromium.ts'
import { sharedChromium, openPage } from './browser.ts'
import { serve } from './serve.ts'
import type { StaticServer } from './serve.ts'

const a = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] // 3 × 4
const b = Array.from({ length: 20 }, (_, i) => (i % 7) - 3) // 4 × 5
const product = Array.from({ length: 15 }, (_, at) => {
  const [row, column] = [Math.floor(at / 5), at % 5]
  return [0, 1, 2, 3].reduce((sum, k) => sum + a[row * 4 + k]! * b[k * 5 + column]!, 0)
})

/** Multiplies a by b in a page that imports the published package. */
const multiplyInPage = (kernel: string): string => `(async () => {
  const { createEngine } = await import('/kernels/index.js')
  const engine = await createEngine({ kernel: '${kernel}' })
  const a = engine.matrix('a', 3, 4)
  const b = engine.matrix('b', 4, 5)
  const out = engine.matrix('out', 3, 5)
  a.values.set(${JSON.stringify(a)})
  b.values.set(${JSON.stringify(b)})
  engine.operations.multiply({ a, b, out })
  const result = { name: engine.name, values: [...out.values] }
  engine.close()
  return result
})()`

/** Compares kernels of every kind with the reference, as `ren check` does. */
const compareInPage = (kernel: string): string => `(async () => {
  const { createEngine } = await import('/kernels/index.js')
  const { compareKernels } = await import('/cli/kernel-agreement.js')
  const engine = await createEngine({ kernel: '${kernel}' })
  return compareKernels(engine, await createEngine({ kernel: 'reference' }))
})()`

/** The worker module and the function that starts it, which a page needs for threads. */
const workerModule = `import { serveKernels } from './kernels/index.js'
onmessage = ({ data }) => serveKernels(data, () => postMessage('ready'))
`
const spawnInPage = `const spawnWorker = (start) => new Promise((resolve, reject) => {
  const worker = new Worker('/kernel-worker.js', { type: 'module' })
  worker.onmessage = () => resolve(worker)
  worker.onerror = reject
  worker.postMessage(start)
})`

/** One product on one thread, on two threads, and with a second thread that takes no part. */
const shareInPage = `(async () => {
  ${spawnInPage}
  const { createEngine } = await import('/kernels/index.js')
  const multiply = (engine) => {
    const square = (name) => engine.matrix(name, 101, 101)
    const [a, b, out] = [square('a'), square('b'), square('out')]
    for (const { values } of [a, b]) values.forEach((_, i) => (values[i] = Math.sin(i)))
    for (let i = 0; i < 50; i++) engine.operations.multiply({ a, b, out })
    return [...out.values]
  }
  const one = multiply(await createEngine())
  const two = multiply(await createEngine({ threads: 2, spawnWorker }))
  const alone = multiply(
    await createEngine({ threads: 2, spawnWorker: async () => ({ terminate() {} }) }),
  )
  return { one, two, alone }
})()`

describe.skipIf(!hasChromium())('the kernels in Chromium', () => {
  let server: StaticServer
  let browser: Browser
  let page: Page
  let complaints: readonly string[]

  beforeAll(async () => {
    // The scripts of the built package; a page needs no types.
    const folder = join(checkout, 'dist', 'browser', 'lib')
    const how = ['--noCheck', '--declaration', 'false']
    run('tsc', ['-p', 'tsconfig.build.json', '--outDir', folder, ...how])
    writeFileSync(join(folder, 'kernel-worker.js'), workerModule)
    server = await serve(folder)
    browser = await sharedChromium()
  }, 60_000)

  afterAll(() => server?.close())

  beforeEach(async () => {
    ;({ page, complaints } = await openPage(browser))
    await page.goto(server.url)
  })

  afterEach(async () => {
    await page.close()
  })

  it.each(['relaxed-simd', 'simd128', 'reference'])('%s multiplies', async (kernel) => {
    expect(await page.evaluate(multiplyInPage(kernel))).toEqual({ name: kernel, values: product })
    expect(complaints).toEqual([])
  })

  it('auto selects the fastest kernels that the browser supports', async () => {
    expect(await page.evaluate(multiplyInPage('auto'))).toEqual({
      name: 'relaxed-simd',
      values: product,
    })
    expect(complaints).toEqual([])
  })

  it.each(['relaxed-simd', 'simd128'])('%s agrees with the reference', async (kernel) => {
    const found = await page.evaluate<{ agrees: boolean }[]>(compareInPage(kernel))
    expect(found.length).toBeGreaterThan(1)
    expect(found.filter(({ agrees }) => !agrees)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('two threads compute the same bits as one, also if one of them takes no part', async () => {
    expect(await page.evaluate('crossOriginIsolated')).toBe(true)
    const { one, two, alone } =
      await page.evaluate<Record<'one' | 'two' | 'alone', unknown[]>>(shareInPage)
    expect(one).toHaveLength(101 * 101)
    expect(two).toEqual(one)
    expect(alone).toEqual(one)
    expect(complaints).toEqual([])
  }, 60_000)
})
