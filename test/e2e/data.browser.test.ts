// The Data view in a real browser: paged lists, single entries, the timeline of a recommendation, an
// import, and the erasure of a user.

import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../../scripts/ensure-chromium.ts'
import { checkAccessibility } from './accessibility.ts'
import { takePictures } from './pictures.ts'
import { useDashboard } from './use-dashboard.ts'

describe.skipIf(!hasChromium())('the view Data', () => {
  const dashboard = useDashboard()
  beforeAll(async () => {
    // More than one page.
    const more = Array.from({ length: 30 }, (_, i) => ({ item: `vase ${10 + i}` }))
    await dashboard.service.items.put(more)
  })

  const open = (query: string) => dashboard.open(`/#/data${query}`)

  it('shows the catalog page by page, to the end and back', async () => {
    const { page, complaints } = await open('')
    const items = table(page, 'items')
    await expect.poll(() => names(items)).toHaveLength(25)
    const first = await names(items)
    expect(first[0]).toBe('chair 1')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('Page 2').waitFor()
    await expect.poll(async () => (await names(items))[0]).not.toBe('chair 1')
    await page.getByRole('button', { name: 'Next' }).click()
    await expect.poll(() => names(items)).toHaveLength(4)
    expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true)
    for (const _ of [2, 1]) await turnBack(page)
    await expect.poll(() => names(items)).toEqual(first)
    expect(complaints).toEqual([])
  })

  it('filters it by name and by attributes', async () => {
    const { page, complaints } = await open('')
    const items = table(page, 'items')
    await page.getByLabel('Name begins with').fill('lamp')
    await expect.poll(() => names(items)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `lamp ${n}`))
    await condition(page, 1, 'price', '>', '30')
    await expect.poll(() => names(items)).toEqual(['lamp 4', 'lamp 5', 'lamp 6'])
    await condition(page, 2, 'sale', '=', 'true')
    await expect.poll(() => names(items)).toEqual(['lamp 6'])
    await page.getByRole('button', { name: 'Remove condition 1' }).click()
    await expect.poll(() => names(items)).toEqual(['lamp 3', 'lamp 6'])
    await page.getByLabel('Value of condition 1').fill('maybe')
    await page.getByText('No matching items.').waitFor()
    expect(complaints).toEqual([])
  })

  it('shows one item with similar items', async () => {
    const { page, complaints } = await open('')
    await page.getByRole('link', { name: 'chair 2' }).click()
    const details = page.getByRole('region', { name: 'chair 2' })
    await details.getByText('price').waitFor()
    await expect.poll(() => details.getByRole('row').count()).toBe(11)
    expect(await details.evaluate((place) => place === document.activeElement)).toBe(true)
    expect(await checkAccessibility(page)).toEqual([])
    expect(await takePictures(page, 'data-item')).toBe(0)
    await details.getByRole('link', { name: 'Close' }).click()
    await expect.poll(() => details.count()).toBe(0)
    expect(complaints).toEqual([])
  }, 40_000)

  it('shows the timeline of a slate that is selected among the events of a user', async () => {
    const { page, complaints } = await open('?part=users')
    await page.getByRole('link', { name: 'user 3', exact: true }).click()
    const details = page.getByRole('region', { name: 'user 3' })
    const slate = details.getByRole('link', { name: 'slate of 5' }).first()
    await slate.waitFor()
    expect(await checkAccessibility(page)).toEqual([])
    expect(await takePictures(page, 'data-user')).toBe(0)
    await slate.click()
    const timeline = page.locator('.timeline')
    await timeline.getByText('5 items to user 3').waitFor()
    expect(await timeline.getByRole('listitem').count()).toBe(3)
    const rows = table(page, 'Items of the slate').getByRole('row')
    expect(await rows.count()).toBe(6)
    expect(await checkAccessibility(page)).toEqual([])
    expect(await takePictures(page, 'data-recommendation')).toBe(0)
    expect(complaints).toEqual([])
  }, 40_000)

  it('finds a recommendation by its id', async () => {
    const { service } = dashboard
    const { recommendationId, items } = await service.recommend({ user: 'user 1', count: 2 })
    const { page } = await open('?part=recommendation')
    await page.getByLabel('Id').fill(recommendationId!)
    await page.getByRole('button', { name: 'Show' }).click()
    const timeline = page.locator('.timeline')
    await timeline.getByText('No interaction yet.').waitFor()
    const { item } = items[0]!
    await service.record([{ user: 'user 1', item, recommendationId: recommendationId! }])
    await page.reload()
    await timeline.getByText('2 of 2 seen, total reward 1').waitFor()
    expect(await timeline.getByRole('listitem').nth(1).textContent()).toContain(item)
    await page.getByLabel('Id').fill('unknown')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('alert').getByText('there is no recommendation "unknown"').waitFor()
  })

  it('imports a file, and reports the line of an error in another', async () => {
    const { page, complaints } = await open('?part=import')
    await page.getByText('No imports since').waitFor()
    const good = 'user,item,reward,time\nzoe,lamp 1,1,1700000000000\nzoe,stool,1,1700000000001\n'
    await choose(page, 'orders.csv', good)
    await entry(page, 'done')
      .getByText('Done: 2 events of 1 user, 1 new item.')
      .waitFor({ timeout: 15_000 })
    await choose(page, 'wrong.csv', 'user,item,time\nzoe,lamp 1,soon\n')
    await entry(page, 'failed')
      .getByText(/wrong\.csv.*line 2, column 3 \(time\)/)
      .waitFor({ timeout: 15_000 })
    await page.getByLabel('Content').selectOption('catalog')
    await choose(page, 'items.csv', 'item,kind\nlamp 1,lamp\nsofa,seat\n')
    await entry(page, 'done').getByText('Done: 1 new item, 1 changed.').waitFor({ timeout: 15_000 })
    const field = page.getByLabel('File')
    await field.setInputFiles({ name: 'a.zip', mimeType: 'text/plain', buffer: Buffer.from('a') })
    await page.getByText('the name must end in').waitFor()
    expect(await page.getByRole('button', { name: 'Import' }).isDisabled()).toBe(true)
    expect(await checkAccessibility(page)).toEqual([])
    expect(await takePictures(page, 'data-import')).toBe(0)
    await page.goto(`${dashboard.url}/#/data?part=users&user=zoe`)
    await page
      .getByRole('region', { name: 'zoe' })
      .getByRole('link', { name: 'stool' })
      .first()
      .waitFor()
    expect(complaints).toEqual([])
  }, 60_000)

  it('erases a user after a confirmation', async () => {
    const { page, complaints } = await open('?part=users&user=user+12')
    const dialog = page.getByRole('dialog')
    const erase = page.getByRole('button', { name: 'Erase user 12' })
    await erase.click()
    await page.screenshot({ path: 'dist/screenshots/data-erase.png' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await dialog.count()).toBe(0)
    expect(dashboard.service.users.get('user 12')).not.toBe(null)
    await erase.click()
    await dialog.getByRole('button', { name: 'Erase' }).click()
    await page.getByText('user 12 was erased').waitFor()
    expect(dashboard.service.users.get('user 12')).toBe(null)
    await expect.poll(() => names(table(page, 'users'))).not.toContain('user 12')
    expect(complaints).toEqual([])
  })
})

const table = (page: Page, name: string): Locator => page.getByRole('table', { name })

const names = (of: Locator): Promise<string[]> => of.getByRole('rowheader').allTextContents()

async function turnBack(page: Page): Promise<void> {
  const before = await page.getByText(/^Page \d+$/).textContent()
  await page.getByRole('button', { name: 'Previous' }).click()
  await expect.poll(() => page.getByText(/^Page \d+$/).textContent()).not.toBe(before)
}

async function condition(
  page: Page,
  place: number,
  attribute: string,
  operator: string,
  value: string,
): Promise<void> {
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await page.getByLabel(`Attribute of condition ${place}`).fill(attribute)
  await page.getByLabel(`Operator of condition ${place}`).selectOption(operator)
  await page.getByLabel(`Value of condition ${place}`).fill(value)
}

async function choose(page: Page, name: string, text: string): Promise<void> {
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) }
  await page.getByLabel('File').setInputFiles(file)
  await page.getByRole('button', { name: 'Import' }).click()
}

const entry = (page: Page, state: string): Locator => page.locator(`.run[data-state=${state}]`)
