// The playground in a real browser: it starts by itself, also without a network.

import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { hasChromium } from '../../scripts/ensure-chromium.ts'
import { checkAccessibility } from './accessibility.ts'
import { useDashboard } from './use-dashboard.ts'

/** Rounds of each method so far. */
const played = async (page: Page): Promise<number> =>
  Number(await page.locator('[data-played]').getAttribute('data-played'))

describe.skipIf(!hasChromium())('the playground', () => {
  const dashboard = useDashboard({ shop: false })

  it('reaches 500 rounds without the service, and shows its speed', async () => {
    const { page, complaints } = await dashboard.open('/playground')
    await page.waitForSelector('[data-played]')
    await page.context().setOffline(true)
    await expect.poll(() => played(page), { timeout: 60_000 }).toBeGreaterThanOrEqual(500)
    const speed = await page.locator('[data-speed]').textContent()
    expect(Number(speed!.replaceAll(',', ''))).toBeGreaterThan(0)
    const requested = await page.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname),
    )
    expect(requested.filter((path) => path.startsWith('/v1'))).toEqual([])
    expect(await page.locator('.scroll tbody tr').count()).toBe(2)
    expect(await checkAccessibility(page)).toEqual([])
    await page.screenshot({ path: 'dist/screenshots/playground.png', fullPage: true })
    expect(complaints).toEqual([])
  }, 90_000)

  it('runs the selected methods, pauses and resumes', async () => {
    const { page, complaints } = await dashboard.open('/playground')
    await page.getByLabel('random', { exact: true }).check()
    await page.getByLabel('greedy GRU4Rec', { exact: true }).uncheck()
    await page.getByLabel('Rounds per method').fill('')
    expect(await page.getByRole('button', { name: 'Start' }).isDisabled()).toBe(true)
    await page.getByLabel('Rounds per method').fill('2000')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('rowheader', { name: 'random', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    // The page shows the pause after the worker has confirmed it.
    const resume = page.getByRole('button', { name: 'Resume' })
    await resume.waitFor()
    const atPause = await played(page)
    expect(atPause).toBeLessThan(2000)
    await page.getByRole('radio', { name: 'regret' }).check()
    await page.getByRole('figure', { name: /regret since the first round/ }).waitFor()
    expect(await played(page)).toBe(atPause)
    await resume.click()
    await expect.poll(() => played(page)).toBeGreaterThan(atPause)
    expect(complaints).toEqual([])
  }, 60_000)
})
