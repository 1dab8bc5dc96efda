// The view Map in a real browser, with a few items and with 50,000.

import type { Page } from 'playwright-core'
import type { ItemMap } from 'ren-recommender/service'
import { describe, expect, it } from 'vitest'
import { hasChromium } from '../../scripts/ensure-chromium.ts'
import { fitAll } from '../../src/dashboard/map/projection.ts'
import { checkAccessibility } from './accessibility.ts'
import { useDashboard } from './use-dashboard.ts'

describe.skipIf(!hasChromium())('the view Map', () => {
  const dashboard = useDashboard()

  async function open(query: string, { url }: { readonly url: string } = dashboard) {
    const { page, complaints } = await dashboard.open(`${url}/#/map${query}`)
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.waitForSelector('.map-frame canvas')
    return { page, complaints }
  }
  /** With all marks, which only a known user has. */
  async function openWithTaste(query: string) {
    const watched = await open(query)
    await watched.page.locator('.map-legend', { hasText: 'user embedding' }).waitFor()
    await settled(watched.page)
    return watched
  }
  const firstUser = () => dashboard.service.users.list({ limit: 1 }).entries[0]!
  const mapOf = (group: string): Promise<ItemMap> =>
    dashboard.service.itemMap({ group, limit: 50_000 })

  it('shows a tooltip under the pointer, also after moving and zooming', async () => {
    const { user, variant } = firstUser()
    const { page, complaints } = await openWithTaste(`?user=${user}`)
    const map = await mapOf(variant)
    const places = await placesOf(page, map)
    const tooltip = page.locator('.map-tooltip')
    const [item, at] = [map.items[lonely(places)], places[lonely(places)]!]
    await pointAt(page, at)
    await expect.poll(() => tooltip.textContent()).toContain(item)

    await drag(page, at, { left: at.left + 70, top: at.top - 40 })
    expect(await tooltip.count()).toBe(0)
    await pointAt(page, { left: at.left + 72, top: at.top - 40 })
    await expect.poll(() => tooltip.textContent()).toContain(item)

    // The item under the pointer stays under it.
    await page.mouse.wheel(0, -600)
    await expect.poll(() => magnification(page)).toBeGreaterThan(2)
    await pointAt(page, { left: at.left + 71, top: at.top - 41 })
    await expect.poll(() => tooltip.textContent()).toContain(item)
    expect(complaints).toEqual([])
  })

  it('moves and resets by keys and buttons', async () => {
    const { page, complaints } = await openWithTaste('')
    const whole = await picture(page)
    await page.locator('.map-frame').focus()
    for (const key of ['ArrowLeft', '+', 'ArrowUp', '+']) await page.keyboard.press(key)
    await expect.poll(() => magnification(page)).toBeCloseTo(1.96, 2)
    await expect.poll(() => picture(page)).not.toBe(whole)
    await page.keyboard.press('-')
    await expect.poll(() => magnification(page)).toBeCloseTo(1.4, 2)
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await expect.poll(() => magnification(page)).toBeCloseTo(2.1, 2)
    await page.getByRole('button', { name: 'All' }).click()
    await expect.poll(() => magnification(page)).toBe(1)
    await expect.poll(() => picture(page)).toBe(whole)
    await page.mouse.dblclick(400, 500)
    await expect.poll(() => magnification(page)).toBe(2)
    expect(complaints).toEqual([])
  })

  it('is colored by the selected value, with a legend', async () => {
    const { page, complaints } = await openWithTaste('')
    const legend = page.locator('.map-legend')
    expect(await legend.textContent()).toContain('Uncertainty')
    const pictures = new Set([await picture(page)])
    await page.getByRole('combobox', { name: 'Color by' }).selectOption('impressions')
    await expect.poll(() => legend.textContent()).toContain('Impressions')
    await settled(page)
    pictures.add(await picture(page))
    await page.getByRole('combobox', { name: 'Color by' }).selectOption('category')
    await page.getByRole('combobox', { name: 'Attribute' }).selectOption('kind')
    await expect.poll(() => legend.textContent()).toContain('lamp (6)')
    await settled(page)
    pictures.add(await picture(page))
    expect(pictures.size).toBe(3)
    expect(page.url()).toMatch(/color=category.*attribute=kind/)
    expect(complaints).toEqual([])
  })

  it('marks the focused item of the lists, and is accessible', async () => {
    const { user } = firstUser()
    const { page, complaints } = await openWithTaste(`?user=${user}`)
    const { items } = await dashboard.service.recommend({ user, count: 10, record: false })
    const slate = page.locator('.map-list', { hasText: 'Slate' }).locator('button')
    expect(await slate.first().textContent()).toContain(items[0]!.item)
    const middleOf = async (selector: string) => {
      const { x, y, width, height } = (await page.locator(selector).boundingBox())!
      return { left: Math.round(x + width / 2), top: Math.round(y + height / 2) }
    }
    expect(await page.locator('.map-frame .focus').count()).toBe(0)
    await slate.nth(3).focus()
    const { variant } = firstUser()
    const map = await mapOf(variant)
    const place = (await placesOf(page, map))[map.items.indexOf(items[3]!.item)]!
    const frame = (await page.locator('.map-frame').boundingBox())!
    const expected = { left: frame.x + place.left, top: frame.y + place.top }
    for (const mark of ['.focus', '.slate >> text=4']) {
      const { left, top } = await middleOf(`.map-frame ${mark}`)
      expect(Math.hypot(left - expected.left, top - expected.top)).toBeLessThan(2)
    }
    expect(await checkAccessibility(page)).toEqual([])
    await page.screenshot({ path: 'dist/screenshots/map-light.png', fullPage: true })
    await page.emulateMedia({ colorScheme: 'dark' })
    await settled(page)
    await page.screenshot({ path: 'dist/screenshots/map-dark.png', fullPage: true })
    await page.setViewportSize({ width: 360, height: 740 })
    await settled(page)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360)
    await page.screenshot({ path: 'dist/screenshots/map-phone.png', fullPage: true })
    expect(complaints).toEqual([])
  })

  it('shows failed requests, and retries them', async () => {
    const { page, complaints } = await dashboard.open('/#/live')
    await page.route('**/v1/model', (route) =>
      route.fulfill({ status: 500, json: { error: { code: 'internal', message: 'no models' } } }),
    )
    await page.goto(`${dashboard.url}/#/map`)
    await page.getByRole('alert').getByText('no models').waitFor()
    await page.unroute('**/v1/model')
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.waitForSelector('.map-frame canvas')
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(complaints.filter((one) => !one.includes('status of 500'))).toEqual([])
  })

  it('explains an empty catalog', async () => {
    const empty = await dashboard.start({ shop: false })
    const { page, complaints } = await dashboard.open(`${empty.url}/#/map`)
    await expect.poll(() => page.locator('main').textContent()).toContain('The catalog is empty')
    expect(complaints).toEqual([])
  })

  it('renders 50,000 items while it is dragged', async () => {
    const large = await dashboard.start({ shop: false })
    await large.service.items.put(
      Array.from({ length: 50_000 }, (_, i) => ({
        item: `item ${i}`,
        attributes: { kind: `kind ${i % 11}` },
      })),
    )
    const { page, complaints } = await open('?color=category', large)
    await expect.poll(() => page.locator('main').textContent()).toContain('50,000 items')
    await expect.poll(() => page.locator('.map-legend').textContent()).toContain('other')
    await settled(page)
    await page.screenshot({ path: 'dist/screenshots/map-50000.png', fullPage: true })
    const still = await picture(page)
    expect(await framesOfDragging(page)).toBeGreaterThan(0)
    expect(await picture(page)).not.toBe(still)
    expect(complaints).toEqual([])
  }, 60_000)
})

type Place = Readonly<{ left: number; top: number }>

/** The positions of the points in the frame of the map. */
async function placesOf(page: Page, map: ItemMap): Promise<Place[]> {
  const { width, height } = (await page.locator('.map-frame').boundingBox())!
  const viewport = { width: Math.round(width), height: Math.round(height) }
  const [x, y] = [Float32Array.from(map.x), Float32Array.from(map.y, (up) => -up)]
  const all = fitAll({ x, y }, viewport)
  return map.items.map((_, i) => ({ left: all.applyX(x[i]!), top: all.applyY(y[i]!) }))
}

/** The index of the place that is farthest from the others and from the edges. */
function lonely(places: readonly Place[]): number {
  const roomOf = (place: Place): number =>
    Math.min(
      ...places
        .filter((other) => other !== place)
        .map((other) => Math.hypot(other.left - place.left, other.top - place.top)),
      2 * place.left,
      2 * place.top,
    )
  const rooms = places.map(roomOf)
  return rooms.indexOf(Math.max(...rooms))
}

async function pointAt(page: Page, at: Place): Promise<void> {
  const { x, y } = (await page.locator('.map-frame').boundingBox())!
  await page.mouse.move(x + at.left, y + at.top, { steps: 2 })
}

async function drag(page: Page, from: Place, to: Place): Promise<void> {
  await pointAt(page, from)
  await page.mouse.down()
  await pointAt(page, to)
  await page.mouse.up()
}

const magnification = async (page: Page): Promise<number> =>
  Number.parseFloat((await page.locator('.map-zoom output').textContent())!)

const picture = (page: Page): Promise<string> =>
  page.locator('.map-frame canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL())

/** Resolves when the map shows the latest data, and is sharp. */
async function settled(page: Page): Promise<void> {
  // Components update the map after a frame.
  await page.evaluate(`new Promise((done) =>
    requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(done))))`)
  await page.waitForSelector('.map-frame canvas[data-sharp=true]')
}

/** The number of times that the canvas moves while the map is dragged. */
async function framesOfDragging(page: Page): Promise<number> {
  await page.evaluate(`{
    frames = 0
    const watch = new MutationObserver(() => frames++)
    watch.observe(document.querySelector('.map-frame canvas'), { attributeFilter: ['style'] })
  }`)
  const { x, y } = (await page.locator('.map-frame').boundingBox())!
  await page.mouse.move(x + 200, y + 200)
  await page.mouse.down()
  for (let step = 0; step < 40; step++) {
    await page.mouse.move(x + 200 + 12 * step, y + 200 + 100 * Math.sin(step / 4))
  }
  const frames = await page.evaluate<number>('frames')
  await page.mouse.up()
  return frames
}
