// The playground in a real browser: it races by itself, also when nobody can be reached any more.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { hasChromium } from '../../scripts/ensure-chromium.ts'
import { checkAccessibility } from './accessibility.ts'
import { sharedChromium, openPage } from './browser.ts'
import { startDashboard } from './dashboard.ts'
import type { Dashboard } from './dashboard.ts'

/** Rounds of each method so far. */
const played = async (page: Page): Promise<number> =>
  Number(await page.locator('[data-played]').getAttribute('data-played'))

describe.skipIf(!hasChromium())('the playground', () => {
  let browser: Browser
  let dashboard: Dashboard

  beforeAll(async () => {
    ;[browser, dashboard] = await Promise.all([sharedChromium(), startDashboard({ shop: false })])
  }, 60_000)
  afterAll(() => dashboard?.close())

  it('reaches 500 rounds without asking the service, and says how fast', async () => {
    const { page, complaints } = await openPage(browser)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(`${dashboard.url}/playground`)
    await page.waitForSelector('[data-played]')
    await page.context().setOffline(true)
    await expect.poll(() => played(page), { timeout: 60_000 }).toBeGreaterThanOrEqual(500)
    const speed = await page.locator('[data-speed]').textContent()
    expect(Number(speed!.replaceAll(',', ''))).toBeGreaterThan(0)
    expect(asked.filter((path) => path.startsWith('/v1'))).toEqual([])
    expect(await page.locator('.scroll tbody tr').count()).toBe(2)
    expect(await checkAccessibility(page)).toEqual([])
    await page.screenshot({ path: 'dist/screenshots/playground.png', fullPage: true })
    expect(complaints).toEqual([])
    await page.context().close()
  }, 90_000)

  it('races what was chosen, pauses and goes on', async () => {
    const { page, complaints } = await openPage(browser)
    await page.goto(`${dashboard.url}/playground`)
    await page.getByLabel('random', { exact: true }).check()
    await page.getByLabel('greedy GRU4Rec', { exact: true }).uncheck()
    await page.getByLabel('Rounds of each').fill('2000')
    await page.getByRole('button', { name: 'Race' }).click()
    await page.getByRole('rowheader', { name: 'random', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.waitForTimeout(300)
    const atPause = await played(page)
    await page.waitForTimeout(300)
    expect(await played(page)).toBe(atPause)
    await page.getByRole('button', { name: 'Go on' }).click()
    await expect.poll(() => played(page)).toBeGreaterThan(atPause)
    await page.getByRole('radio', { name: 'regret' }).check()
    await page.getByRole('figure', { name: /regret since the first round/ }).waitFor()
    expect(complaints).toEqual([])
    await page.close()
  }, 60_000)
})
