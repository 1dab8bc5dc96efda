// The Live view in a real browser: real users, simulated users, no users yet, and a service that dies.

import { createServer } from 'ren-recommender/service'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasChromium } from '../../scripts/ensure-chromium.ts'
import { openDemo } from '../../src/cli/demo/demo.ts'
import { entrantsOf } from '../../src/cli/demo/settings.ts'
import { startScript } from '../run-ren.ts'
import { temporaryFiles } from '../temporary-files.ts'
import { checkAccessibility } from './accessibility.ts'
import { builtPage, kinds, lookAround } from './dashboard.ts'
import type { Dashboard, DashboardSettings } from './dashboard.ts'
import { useVisits } from './use-dashboard.ts'

describe.skipIf(!hasChromium())('the view Live', { timeout: 60_000 }, () => {
  const files = temporaryFiles()
  const { open, start: startFresh, after } = useVisits()

  async function start(settings?: DashboardSettings) {
    const dashboard = await startFresh(settings)
    return { dashboard, ...(await open(dashboard.url)) }
  }

  /** Two policies in the worlds of two seeds. */
  async function startDemo() {
    const { service, demo } = await openDemo(':memory:', () => {}, {
      entrants: entrantsOf([1, 2]),
      pace: { rounds: 1000, learnEvery: 10, climb: 1000, interval: [400, 400] },
    })
    const stop = new AbortController()
    const playing = demo.run(stop.signal)
    const page = await builtPage()
    const server = await createServer(service, { page, ownsService: true, demo })
    after(async () => {
      stop.abort()
      await playing
      await server.close()
    })
    return open(await server.listen({ port: 0 }))
  }

  const headline = (page: Page) => page.locator('.headline').textContent()
  const tile = (page: Page, name: string) =>
    page.locator('.tiles > div', { hasText: name }).locator('dd').textContent()
  const chart = (page: Page, name: string) =>
    page.getByRole('figure', { name }).getAttribute('aria-label')

  /** Serves one slate to each user from `first` to `last`. */
  async function serveUsers(
    { service }: Dashboard,
    [first, last]: readonly [number, number],
    liked: boolean,
  ): Promise<void> {
    for (let n = first; n <= last; n++) {
      await lookAround(service, `user ${n}`, liked ? '' : 'nothing')
    }
  }

  it('shows its figures before the application, which repeats no request and moves nothing', async () => {
    const dashboard = await startFresh()
    const { page, complaints } = await open('about:blank')
    const requested: string[] = []
    page.on('request', (request) => requested.push(new URL(request.url()).pathname))
    const application = Promise.withResolvers<void>()
    await page.route('**/app-*.js', async (route) => {
      await application.promise
      await route.continue()
    })
    await page.goto(dashboard.url, { waitUntil: 'commit' })
    await expect.poll(() => tile(page, 'Events in the log')).toBe('73')
    expect(await page.locator('.headline').count()).toBe(0)
    const place = await page.locator('.tiles').boundingBox()
    application.resolve()
    await page.locator('.headline').waitFor()
    expect(await page.locator('.tiles').boundingBox()).toEqual(place)
    await page.getByRole('row', { name: 'ren v0' }).waitFor()
    const questions = requested.filter((path) => path.startsWith('/v1/'))
    expect(questions).toContain('/v1/status')
    expect(questions.filter((path, i) => questions.indexOf(path) !== i)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('plots the reward of real users live, with a summary', async () => {
    const { dashboard, page, complaints } = await start({ shop: false })
    await expect.poll(() => headline(page)).toBe('No slates served yet.')
    await page.getByText('The line begins with the first slate').waitFor()
    await page.getByText('Add items first').getByRole('link', { name: 'import a log' }).waitFor()
    await page.getByRole('region', { name: 'Data' }).getByText('Repeat rate').waitFor()
    await dashboard.service.items.put(kinds.map((kind) => ({ item: `${kind} 1` })))
    await serveUsers(dashboard, [1, 12], false)
    await expect
      .poll(() => headline(page), { timeout: 5000 })
      .toBe('Too few slates to report a reward yet.')
    await serveUsers(dashboard, [13, 100], false)
    await expect
      .poll(() => headline(page), { timeout: 5000 })
      .toMatch(/^In the last minute, .* 0 per slate/)
    await serveUsers(dashboard, [1, 100], true)
    await expect
      .poll(() => headline(page), { timeout: 5000 })
      .toMatch(/ren( has a reward of)? 0\.5/)
    expect(await chart(page, 'Mean reward per slate over time')).toMatch(
      /one line per policy\. ren is now 0\.500; greedy is now 0\.500\./,
    )
    await expect.poll(() => tile(page, 'Events in the log')).toBe('401')
    await page.screenshot({ path: 'dist/screenshots/live-served.png', fullPage: true })
    expect(await checkAccessibility(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('shows the outcome of an update, its version and the comparison of variants', async () => {
    const { dashboard, page, complaints } = await start()
    const versions = page.getByRole('region', { name: 'Model versions' })
    await versions.getByRole('row', { name: 'ren v0' }).waitFor()
    await dashboard.service.model.train()
    await versions.getByRole('row', { name: 'ren v1' }).getByText('fine-tuned').waitFor()
    await page.getByText(/was trained: version 1, loss \d/).waitFor()
    const variants = page.getByRole('region', { name: 'Mean reward per slate by variant' })
    await variants.getByRole('row', { name: 'greedy' }).waitFor()
    await page.getByText('the benefit of exploration for learning').waitFor()
    await page.goto(`${dashboard.url}/#/nosuch`)
    await expect.poll(() => page.url()).toMatch(/#\/live$/)
    expect(complaints).toEqual([])
  })

  it('marks simulated users, shows each round, also on a phone, and can pause', async () => {
    const { page, complaints } = await startDemo()
    await page.getByText('Simulated users', { exact: true }).waitFor()
    await page.getByText('Each seed (1, 2) has its own users.').waitFor()
    await page.getByRole('columnheader', { name: 'Against REN of its seed' }).waitFor()
    await page.getByText(/over all seeds: greedy against REN [+−\d]/).waitFor()
    await expect
      .poll(() => headline(page), { timeout: 10_000 })
      .toMatch(
        /^After \d+ rounds, (REN|greedy) has a reward of 0\.\d+ per slate, (REN|greedy) 0\.\d+\.$/,
      )
    expect(await chart(page, 'Mean reward per slate by round')).toMatch(
      /REN is now .* Optimum is now 0\.\d+/,
    )
    expect(await chart(page, 'Reward of the best slates minus the reward received')).toMatch(
      /REN is now/,
    )
    const before = await headline(page)
    await expect.poll(() => headline(page), { timeout: 5000 }).not.toBe(before)
    expect(await checkAccessibility(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    // Charts adapt after the layout has settled.
    const widthOf = () => page.evaluate('document.documentElement.scrollWidth')
    await expect.poll(widthOf, { timeout: 5000 }).toBe(360)
    await page.screenshot({ path: 'dist/screenshots/live-phone.png', fullPage: true })
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText(/^Paused at/).waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText(/^Round \d+ of 1,000/).waitFor()
    expect(complaints).toEqual([])
  })

  it('retains its data while the service is down, and reconnects', async () => {
    const first = await startProcess('0')
    const { page, complaints } = await open(first.url)
    const drawn = page.getByRole('figure', { name: 'Mean reward per slate over time' })
    await drawn.waitFor()
    const before = await tile(page, 'Events in the log')
    first.child.kill('SIGKILL')
    await first.ended
    const banner = page.getByText('The connection to the service is lost.')
    await banner.waitFor()
    await page.screenshot({ path: 'dist/screenshots/live-lost.png', fullPage: true })
    expect(await tile(page, 'Events in the log')).toBe(before)
    expect(await tile(page, 'Events per second')).toBe('–')
    expect(await drawn.isVisible()).toBe(true)
    expect(await checkAccessibility(page)).toEqual([])

    const second = await startProcess(new URL(first.url).port)
    await banner.waitFor({ state: 'detached', timeout: 10_000 })
    await fetch(`${second.url}/v1/recommendations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user: 'user 1', count: 3 }),
    })
    await expect
      .poll(() => tile(page, 'Events in the log'), { timeout: 10_000 })
      .toBe(String(Number(before) + 1))
    expect(await drawn.isVisible()).toBe(true)
    // The browser logs the refused connection.
    expect(complaints.filter((one) => !one.includes('net::ERR_'))).toEqual([])
  })

  async function startProcess(port: string) {
    const args = [await builtPage(), files.folder, port]
    const { child, ended } = startScript('test/e2e/dashboard-process.ts', args)
    after(async () => {
      child.kill()
      await ended
    })
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (text: string) => resolve(text.trim()))
      ended.then(({ stderr }) => reject(new Error(stderr)), reject)
    })
    return { child, ended, url }
  }
})
