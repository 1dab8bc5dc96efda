// The page after an import, in a real browser: a catalog with titles, a log, and nothing served yet.

import { setTimeout as delay } from 'node:timers/promises'

import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../../scripts/ensure-chromium.ts'
import { checkAccessibility } from './accessibility.ts'
import { takePictures } from './pictures.ts'
import { useDashboard } from './use-dashboard.ts'

const [filmCount, userCount, length] = [40, 60, 12]
const start = Date.UTC(2026, 0, 1)
const dayMs = 86_400_000

/** With the loss of a full training run, and three exploratory slots in every slate of ten. */
const settings = { dimension: 8, loss: 'softmax', exploratoryShare: 0.3 }
const variants = [{ name: 'ren', method: 'ren-g', settings }]

const title = (film: number): string => `Film ${String.fromCharCode(65 + (film % 26))}${film}`

/** Users watch films in a fixed order, so that the next item is known. */
function generateLog(): string {
  const rows = Array.from({ length: userCount * length }, (_, i) => {
    const [user, step] = [i % userCount, Math.floor(i / userCount)]
    return `u${user},f${(7 * user + step) % filmCount},${start + step * dayMs + user * 1000}`
  })
  return ['user,item,time', ...rows].join('\n')
}

describe.skipIf(!hasChromium())('the page after an import', { timeout: 120_000 }, () => {
  const dashboard = useDashboard({ shop: false, service: { variants } })

  let importComplaints: readonly string[]

  beforeAll(async () => {
    await dashboard.service.items.put(
      Array.from({ length: filmCount + 2 }, (_, i) => ({
        item: `f${i}`,
        attributes: { title: title(i) },
      })),
    )
    const { page, complaints } = await dashboard.open('/#/data?part=import')
    const file = { name: 'log.csv', mimeType: 'text/csv', buffer: Buffer.from(generateLog()) }
    await page.getByLabel('File').setInputFiles(file)
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByText(/^Done: 720 events of 60 users/).waitFor({ timeout: 60_000 })
    importComplaints = complaints
  }, 120_000)

  const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

  async function showOtherUsers(page: Page): Promise<void> {
    const sample = page.getByRole('region', { name: /^Sample slate of / }).first()
    const before = await sample.getAttribute('aria-label')
    await page.getByRole('button', { name: 'Other users' }).click()
    await expect.poll(() => sample.getAttribute('aria-label')).not.toBe(before)
  }

  it('shows data quality and sample slates with titles, without an id in sight', async () => {
    const { page, complaints } = await dashboard.open('/#/live')
    const data = panel(page, 'Data')
    await data.getByText('Repeat rate').waitFor()
    await expect
      .poll(() => data.locator('dd').allTextContents(), { timeout: 20_000 })
      .toEqual(expect.arrayContaining(['60', '42', '720', '0%', '2']))
    await data
      .getByRole('figure', { name: /Interactions per day.* from 1 Jan 2026 to 12 Jan 2026/ })
      .waitFor()

    const samples = page.getByRole('region', { name: /^Sample slate of / })
    await expect.poll(() => samples.count(), { timeout: 10_000 }).toBe(3)
    const first = samples.first()
    await expect.poll(() => first.getByRole('listitem').count()).toBe(10)
    await expect.poll(() => first.textContent()).toMatch(/Film [A-Z]\d/)
    expect(await first.textContent()).not.toMatch(/\bf\d/)
    await showOtherUsers(page)

    expect([...importComplaints, ...complaints]).toEqual([])
  })

  it('compares the ranking with its parts, and explains each sample', async () => {
    const { page, complaints } = await dashboard.open('/#/live')
    // Each is ranked before anything learns from it.
    // Under load only some are ranked: the headline needs fifty.
    const ranked = () => dashboard.service.quality()[0]!.live?.served.examples ?? 0
    for (let count = 0; count < 20 || (ranked() < 50 && count < 500); count++) {
      const [user, step] = [count % 20, Math.floor(count / 20)]
      const item = `f${(7 * user + length + step) % filmCount}`
      await dashboard.service.record([{ user: `u${user}`, item }])
      await delay(10)
    }
    expect(ranked()).toBeGreaterThanOrEqual(50)
    await page.reload()
    const table = page.getByRole('table', { name: /^Quality of ren by method/ })
    await table.waitFor({ timeout: 30_000 })
    expect(await table.getByRole('rowheader').allTextContents()).toEqual([
      'Served',
      'Model alone',
      'Memory alone',
      'Popularity alone',
    ])
    const hr10 = (name: string) => table.getByRole('row', { name }).getByRole('cell').first()
    expect(await hr10('Memory alone').textContent()).toMatch(/^[\d.]+%$/)
    expect(await hr10('Model alone').textContent()).toBe('not trained yet')
    await page
      .getByRole('figure', { name: /^HR@10 of ren over time.*Memory alone is now/ })
      .waitFor()
    expect(await page.locator('.headline').textContent()).toMatch(
      /^The ten items served contain the next choice of [\d.]+% of users/,
    )

    const sample = page.getByRole('region', { name: /^Sample slate of / }).first()
    await sample
      .getByText(/^because of Film/)
      .first()
      .waitFor()
    // The exploratory slots of three samples may all hold relevant items: then others have to do.
    const samples = page.getByRole('region', { name: /^Sample slate of / })
    const explored = samples.getByText(
      /^explored: (few impressions so far|unlike the user’s history)$/,
    )
    for (let round = 0; round < 10 && (await explored.count()) === 0; round++) {
      await showOtherUsers(page)
    }
    expect(await explored.count()).toBeGreaterThan(0)
    const bar = sample.getByRole('img').first()
    expect(await bar.getAttribute('aria-label')).toMatch(/memory -?\d+\.\d\d/)
    expect(await checkAccessibility(page)).toEqual([])
    expect(await takePictures(page, 'imported')).toBe(0)

    await sample.getByRole('link', { name: /^User u/ }).click()
    await page.locator('.why-item').first().click()
    await page
      .locator('.why-parts')
      .getByText(/^memory|, memory|because of/)
      .first()
      .waitFor()
    expect(complaints).toEqual([])
  })

  it('shows the progress of a full training run, and cancels it', async () => {
    const { page, complaints } = await dashboard.open('/#/live')
    const started = await fetch(`${dashboard.url}/v1/model/train`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"full":true}',
    })
    expect(started.status).toBe(202)
    const training = panel(page, 'Training')
    // If the panel is missing or different, the failure shows its text.
    const text = async () => (await training.allTextContents()).join('')
    await expect.poll(text, { timeout: 30_000 }).toMatch(/running|waiting|done/)
    const cancel = training.getByRole('button', { name: 'Cancel training' })
    const states = () => training.locator('.run > span').allTextContents()
    if (await cancel.isVisible()) {
      // The button disappears if the run ends before the click.
      await cancel.click({ timeout: 10_000 }).catch(async (error: unknown) => {
        if ((await states()).join() !== 'done') throw error
      })
    }
    await expect
      .poll(states, { timeout: 60_000 })
      .toEqual([expect.stringMatching(/^(canceled|done)$/)])
    expect(complaints).toEqual([])
  })
})
