// The page in headless Chromium without a GPU: the scripting time of frequent updates, the time until live
// figures appear, and the playground compared with the same comparison in Node.

import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { buildPage, buildWith } from '../scripts/build-page.ts'
import { checkout } from '../scripts/checkout.ts'
import { ensureChromium } from '../scripts/ensure-chromium.ts'
import { first } from '../src/dashboard/playground/choices.ts'
import { createComparison } from '../src/dashboard/playground/comparison.ts'
import { createEngine } from '../src/kernels/index.ts'
import { launchChromium } from '../test/e2e/browser.ts'
import { startDashboard } from '../test/e2e/dashboard.ts'
import { serve } from '../test/e2e/serve.ts'
import { describeMachine, median } from './measure.ts'
import type { Figure, FigureReport } from './measure.ts'
import type { PageParts } from './page/parts.tsx'

const rounds = 11
const patienceMs = 20_000
/** For the whole run. */
const maxMs = 110_000
const pageSize = { width: 1280, height: 900 }

declare global {
  var parts: PageParts
}

export async function run(): Promise<FigureReport> {
  ensureChromium()
  const folder = mkdtempSync(join(tmpdir(), 'ren-bench-page-'))
  const browser = await launchChromium()
  // Every call that waits for the browser then fails.
  const guard = setTimeout(() => void browser.close(), maxMs)
  try {
    const figures = [
      ...(await measureParts(browser, join(folder, 'parts'))),
      ...(await measureDashboard(browser, join(folder, 'page'))),
    ]
    return { machine: describeMachine(), figures }
  } finally {
    clearTimeout(guard)
    await browser.close()
    rmSync(folder, { recursive: true })
  }
}

async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: pageSize })
  page.setDefaultTimeout(patienceMs)
  return page
}

async function measureParts(browser: Browser, folder: string): Promise<Figure[]> {
  await buildWith(join(checkout, 'bench', 'page'), folder, ['index.html'])
  const server = await serve(folder)
  try {
    const page = await openPage(browser)
    await page.goto(`${server.url}index.html`)
    const scripting = await watchScripting(page)
    return [...(await measureChart(page, scripting)), await measureMap(page, scripting)]
  } finally {
    await server.close()
  }
}

/** The milliseconds that the page's thread has spent in scripts so far, by its own clock. */
type Scripting = () => Promise<number>

async function watchScripting(page: Page): Promise<Scripting> {
  const session: CDPSession = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1000 * metrics.find(({ name }) => name === 'ScriptDuration')!.value
  }
}

async function measureChart(page: Page, scripting: Scripting): Promise<Figure[]> {
  const costs = new Map<number, number[]>([
    [20_000, []],
    [100_000, []],
  ])
  for (let round = 0; round < rounds; round++) {
    for (const [count, all] of costs) {
      all.push(await costOf(scripting, () => drawChart(page, count, round)))
    }
  }
  const [small, large] = [...costs.values()].map((all) => median(all.slice(2)))
  return [
    figure('redraw of 20,000 points: scripting', small!, 'ms'),
    figure('redraw of 100,000 points: scripting', large!, 'ms'),
    figure('100,000 points over 20,000', large! / small!, '×', '≤ 3'),
  ]
}

const drawChart = (page: Page, count: number, seed: number): Promise<void> =>
  page.evaluate(([points, of]) => globalThis.parts.drawChart(points!, of!), [count, seed])

async function costOf(scripting: Scripting, work: () => Promise<unknown>): Promise<number> {
  const before = await scripting()
  await work()
  return (await scripting()) - before
}

const draggedFrames = 60

/** Drags the map in circles, one step per frame. */
async function measureMap(page: Page, scripting: Scripting): Promise<Figure> {
  await page.evaluate(() => globalThis.parts.drawMap(50_000))
  const { x, y, width, height } = (await page.locator('.map-frame').boundingBox())!
  const place = [x + width / 2, y + height / 2, draggedFrames] as const
  const costs: number[] = []
  for (let round = 0; round < 5; round++) {
    await page.mouse.move(place[0], place[1])
    await page.mouse.down()
    costs.push(
      await costOf(scripting, () =>
        page.evaluate(([left, top, frames]) => globalThis.parts.drag(left, top, frames), place),
      ),
    )
    await page.mouse.up()
  }
  const name = 'panning a map of 50,000 points: scripting per frame'
  return figure(name, median(costs) / draggedFrames, 'ms', '≤ 12')
}

async function measureDashboard(browser: Browser, folder: string): Promise<Figure[]> {
  await buildPage(folder)
  const dashboard = await startDashboard({ server: { page: withEmptyPage(folder) } })
  try {
    return [
      ...(await measureArrival(browser, dashboard.url)),
      ...(await measurePlayground(browser, folder)),
    ]
  } finally {
    await dashboard.close()
  }
}

const emptyPage = '<!doctype html><title>Empty</title><link rel="icon" href="data:," />'

/** A copy of the page with an empty playground. */
function withEmptyPage(folder: string): string {
  const copy = `${folder}-empty`
  cpSync(folder, copy, { recursive: true })
  writeFileSync(join(copy, 'playground.html'), emptyPage)
  return copy
}

/** The times from the start of the navigation until an empty page has loaded, and until live figures appear. */
async function measureArrival(browser: Browser, url: string): Promise<Figure[]> {
  const [empty, live]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    empty.push(
      await visit(browser, `${url}/playground`, async (page) => {
        await page.waitForLoadState('load')
        return page.evaluate(() => {
          const [entry] = performance.getEntriesByType('navigation')
          return (entry as PerformanceNavigationTiming).loadEventEnd
        })
      }),
    )
    live.push(await visit(browser, `${url}/`, firstFigures))
  }
  const [load, figures] = [median(empty), median(live)]
  return [
    figure('an empty page of the same server: loaded', load, 'ms'),
    figure('the dashboard: first live figures', figures, 'ms'),
    figure('first live figures over an empty page', figures / load, '×', '≤ 2'),
  ]
}

/** Each visit starts without a cache. */
async function visit(
  browser: Browser,
  url: string,
  measure: (page: Page) => Promise<number>,
): Promise<number> {
  const context = await browser.newContext({ viewport: pageSize })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(patienceMs)
    await page.addInitScript(watchFigures)
    await page.goto(url, { waitUntil: 'commit' })
    return await measure(page)
  } finally {
    await context.close()
  }
}

/** Runs in the page: records when the first figures appear. */
function watchFigures(): void {
  const look = (): void => {
    const shown = document.querySelector('.tiles dd')
    if (shown) Object.assign(globalThis, { figuresAt: performance.now() })
    else requestAnimationFrame(look)
  }
  look()
}

async function firstFigures(page: Page): Promise<number> {
  const handle = await page.waitForFunction(
    () => (globalThis as unknown as { figuresAt?: number }).figuresAt,
  )
  return Number(await handle.jsonValue())
}

/** The same comparison in the browser's worker and in Node, one after the other. */
async function measurePlayground(browser: Browser, folder: string): Promise<Figure[]> {
  const dashboard = await startDashboard({ shop: false, server: { page: folder } })
  try {
    const page = await openPage(browser)
    await page.goto(`${dashboard.url}/playground`)
    const played = page.locator(`[data-played="${first.rounds}"]`)
    await played.waitFor({ timeout: 60_000 })
    const text = await page.locator('[data-speed]').textContent()
    await page.close()
    const inPage = Number(text!.replaceAll(',', ''))
    const inNode = await stepsInNode()
    return [
      figure('playground in Chromium', inPage, '/s'),
      figure('the same comparison in Node', inNode, '/s'),
      figure('Chromium over Node', inPage / inNode, '×'),
    ]
  } finally {
    await dashboard.close()
  }
}

async function stepsInNode(): Promise<number> {
  const engine = await createEngine()
  const comparison = createComparison(engine, first)
  const start = performance.now()
  let steps = 0
  while (!comparison.isOver) steps += comparison.play(1)
  const seconds = (performance.now() - start) / 1000
  engine.close()
  return steps / seconds
}

const figure = (name: string, value: number, unit: string, bar?: string): Figure => ({
  figure: name,
  value,
  unit,
  ...(bar !== undefined && { bar }),
})
