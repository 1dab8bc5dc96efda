// Titles and images of the catalog in a real browser, in every view that shows items.

import { describe, expect, it } from 'vitest'
import { hasChromium } from '../../scripts/ensure-chromium.ts'
import { checkAccessibility } from './accessibility.ts'
import { takePictures } from './pictures.ts'
import { useVisits } from './use-dashboard.ts'

const drawing = (color: string): string =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8" fill="${color}"/></svg>`)}`

const images = [drawing('teal'), 'https://images.example/b.svg', 'https://other.example/c.svg']
const titles = ['Alien (1979)', 'Brazil (1985)', 'Casablanca (1942)']

describe.skipIf(!hasChromium())('titles', { timeout: 60_000 }, () => {
  const { open, start } = useVisits()

  async function startCinema() {
    const dashboard = await start({
      shop: false,
      server: { imageHosts: ['images.example'], rateLimit: false },
    })
    const { service } = dashboard
    await service.items.put(
      titles.map((title, i) => ({ item: `m${i}`, attributes: { title, image: images[i]! } })),
    )
    await service.items.put([{ item: 'untitled' }])
    const { recommendationId } = await service.recommend({ user: 'ann', count: 3 })
    await service.record([{ user: 'ann', item: 'm1', recommendationId: recommendationId! }])
    return { ...dashboard, recommendationId: recommendationId! }
  }

  it('replace ids in Why, Map and Data, with the id in the tooltip', async () => {
    const { url, recommendationId } = await startCinema()
    const { page, complaints } = await open('about:blank')
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).host))
    await page.route('https://images.example/**', (route) =>
      route.fulfill({
        contentType: 'image/svg+xml',
        body: decodeURIComponent(images[0]!.slice(19)),
      }),
    )

    await page.goto(`${url}/#/why?user=ann`)
    await page.getByRole('button', { name: 'Alien (1979)' }).waitFor()
    await page.getByRole('button', { name: 'untitled' }).waitFor()
    expect(await page.getByTitle('m0').first().textContent()).toBe('Alien (1979)')
    await page.getByRole('link', { name: 'Brazil (1985)' }).waitFor()
    const widths = page
      .locator('.why-slate img')
      .evaluateAll((all) => (all as HTMLImageElement[]).map(({ naturalWidth }) => naturalWidth))
    expect(await widths).toEqual([8, 8])
    expect(await checkAccessibility(page)).toEqual([])
    expect(await takePictures(page, 'titles-why')).toBe(0)

    await page.goto(`${url}/#/map?user=ann`)
    await page.getByRole('button', { name: /Casablanca \(1942\)/ }).waitFor()

    await page.goto(`${url}/#/data?part=items`)
    await page.getByRole('row', { name: /Casablanca \(1942\) m2/ }).waitFor()
    expect(await takePictures(page, 'titles-data')).toBe(0)
    await page.getByRole('link', { name: /Alien/ }).click()
    const details = page.getByRole('region', { name: 'Alien (1979)' })
    await details.getByRole('link', { name: 'Brazil (1985)' }).waitFor()
    expect(await checkAccessibility(page)).toEqual([])

    await page.goto(`${url}/#/data?part=users&user=ann`)
    await page.getByText('interaction with').getByRole('link', { name: 'Brazil (1985)' }).waitFor()
    await page.goto(`${url}/#/data?part=recommendation&id=${recommendationId}`)
    await page.locator('.timeline').getByText('Brazil (1985)').waitFor()
    await page.getByRole('row', { name: /Alien \(1979\)/ }).waitFor()

    // Images come only from the service and from allowed hosts.
    expect([...hosts].filter((host) => host !== '').toSorted()).toEqual(
      [new URL(url).host, 'images.example'].toSorted(),
    )
    expect(complaints).toEqual([])
  })
})
