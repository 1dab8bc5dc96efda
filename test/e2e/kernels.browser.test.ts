// The kernels in a real browser: the published files, unbundled, computing in a page.

import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { build } from '../../scripts/build.ts'
import { checkout } from '../../scripts/checkout.ts'
import { chromiumPath, hasChromium } from '../../scripts/ensure-chromium.ts'
import { serve } from './serve.ts'
import type { StaticServer } from './serve.ts'

const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const a = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] // 3 × 4
const b = Array.from({ length: 20 }, (_, i) => (i % 7) - 3) // 4 × 5
const product = Array.from({ length: 15 }, (_, at) => {
  const [row, column] = [Math.floor(at / 5), at % 5]
  return [0, 1, 2, 3].reduce((sum, k) => sum + a[row * 4 + k]! * b[k * 5 + column]!, 0)
})

/** Multiplies a by b in the page, which imports the package as any page would. */
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

if (!hasChromium()) console.warn(`skipped: the browser tests need ${chromiumPath}`)

describe.skipIf(!hasChromium())('the kernels in Chromium', () => {
  let server: StaticServer
  let browser: Browser
  let page: Page
  let complaints: string[]

  beforeAll(async () => {
    build('dist/browser')
    server = await serve(join(checkout, 'dist', 'browser', 'lib'))
    browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumArguments })
  }, 60_000)

  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  beforeEach(async () => {
    page = await browser.newPage()
    complaints = []
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(server.url)
  })

  afterEach(async () => {
    await page.close()
  })

  it.each(['relaxed-simd', 'simd128', 'reference'])('%s multiplies', async (kernel) => {
    expect(await page.evaluate(multiplyInPage(kernel))).toEqual({ name: kernel, values: product })
    expect(complaints).toEqual([])
  })

  it('auto takes the fastest that the browser has', async () => {
    expect(await page.evaluate(multiplyInPage('auto'))).toEqual({
      name: 'relaxed-simd',
      values: product,
    })
    expect(complaints).toEqual([])
  })

  it('may share memory between threads', async () => {
    expect(await page.evaluate('crossOriginIsolated')).toBe(true)
  })
})
