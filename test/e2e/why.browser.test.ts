// The Why view in a real browser: it shows the values of the service's responses.

import type { Locator, Page } from 'playwright-core'
import type { ExplorationChoice, ServedRecommendation } from 'ren-recommender/service'
import { describe, expect, it } from 'vitest'
import { hasChromium } from '../../scripts/ensure-chromium.ts'
import { checkAccessibility } from './accessibility.ts'
import { useDashboard } from './use-dashboard.ts'

describe.skipIf(!hasChromium())('the view Why', () => {
  const dashboard = useDashboard()

  const open = (query: string, { url }: { readonly url: string } = dashboard) =>
    dashboard.open(`${url}/#/why${query}`)
  const request = (user: string, exploration: ExplorationChoice): Promise<ServedRecommendation> =>
    dashboard.service.recommend({ user, count: 10, record: false, exploration })
  const userOf = (variant: string): string =>
    dashboard.service.users.list({ limit: 50 }).entries.find((entry) => entry.variant === variant)!
      .user

  it('updates the slate and its bars with the slider', async () => {
    const user = userOf('ren')
    const { page, complaints } = await open(`?user=${user}&weight=0`)
    const list = page.getByRole('list', { name: 'Slate' })
    const before = await request(user, { weight: 0 })
    await expect.poll(() => namesIn(list)).toEqual(namesOf(before))
    const widths = await widthsIn(list)
    await page.getByLabel('Exploration weight').fill('0.9')
    const after = await request(user, { weight: 0.9 })
    expect(namesOf(after)).not.toEqual(namesOf(before))
    await expect.poll(() => namesIn(list)).toEqual(namesOf(after))
    expect(await widthsIn(list)).not.toEqual(widths)
    for (const [i, row] of (await termsIn(list)).entries()) {
      const { relevance, score } = after.items[i]!
      expectShown(row['relevance']!, relevance)
      expectShown(row['score']!, score)
      const sum = Number(row['relevance']) + Number(row['diversity']) + Number(row['uncertainty'])
      expect(Math.abs(sum - score)).toBeLessThan(2 * 10 ** -decimalsOf(row['score']!))
    }
    expect(page.url()).toContain('weight=0.9')
    expect(complaints).toEqual([])
  })

  it('multiplies the terms by the two weights, and restores them from a link', async () => {
    const user = userOf('ren')
    const { page, complaints } = await open(`?user=${user}&diversity=0.4&uncertainty=0.05`)
    const list = page.getByRole('list', { name: 'Slate' })
    const answer = await request(user, { diversityWeight: 0.4, uncertaintyWeight: 0.05 })
    await expect.poll(() => namesIn(list)).toEqual(namesOf(answer))
    for (const [i, row] of (await termsIn(list)).entries()) {
      const { diversity, uncertainty } = answer.items[i]!
      expectShown(row['diversity']!, 0.4 * diversity)
      expectShown(row['uncertainty']!, 0.05 * uncertainty)
    }
    await page.reload()
    await expect.poll(() => namesIn(list)).toEqual(namesOf(answer))
    expect(await page.getByLabel('Two weights').isChecked()).toBe(true)
    expect(complaints).toEqual([])
  })

  it('compares until the user leaves, by a link or by the history of the browser', async () => {
    const user = userOf('ren')
    const { page, complaints } = await open(`?user=${user}`)
    const slates = page.getByRole('list', { name: /^Slate/ })
    for (const leave of [
      () => page.getByRole('link', { name: 'Live' }).click(),
      () => page.getByRole('link', { name: 'Map' }).click(),
    ]) {
      const compare = page.getByLabel('Compare two settings')
      await compare.check()
      await expect.poll(() => slates.count()).toBe(2)
      await leave()
      await expect.poll(() => slates.count()).toBe(0)
      await page.goBack()
      await expect.poll(() => slates.count()).toBe(2)
      await compare.uncheck()
      await expect.poll(() => slates.count()).toBe(1)
    }
    expect(complaints).toEqual([])
  })

  it('compares two settings, and marks common items', async () => {
    const user = userOf('ren')
    const { page, complaints } = await open(`?user=${user}&weight=1`)
    await page.getByLabel('Compare two settings').check()
    const [a, b] = await Promise.all([request(user, { weight: 1 }), request(user, { weight: 0 })])
    const [left, right] = ['Slate A', 'Slate B'].map((name) => page.getByRole('list', { name }))
    await expect.poll(() => namesIn(left!)).toEqual(namesOf(a))
    await expect.poll(() => namesIn(right!)).toEqual(namesOf(b))
    const shared = namesOf(a).filter((item) => namesOf(b).includes(item))
    expect(shared.length).toBeLessThan(10)
    expect(await left!.getByText('only here').count()).toBe(10 - shared.length)
    await left!.locator('li').first().hover()
    expect(await page.locator('li.pointed').count()).toBe(shared.includes(namesOf(a)[0]!) ? 2 : 1)
    // If one setting changes, both slates are requested again, so that one model serves both.
    const requested: unknown[] = []
    page.on('request', (sent) => requested.push(...Object.values(weightOf(sent.postData()))))
    await page.getByLabel('Exploration weight').last().fill('0.5')
    await expect.poll(() => requested).toEqual([1, 0.5])
    await page.screenshot({ path: 'dist/screenshots/why-compare.png', fullPage: true })
    expect(await checkAccessibility(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('finds users by keyboard, and shows their history and similar items', async () => {
    const { page, complaints } = await open('')
    await page.waitForSelector('.why-slate li')
    const box = page.getByRole('combobox', { name: 'User' })
    expect(await box.inputValue()).not.toBe('')
    await box.focus()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.type')).toBe('checkbox')
    await box.focus()
    // Before the service has returned the matching users.
    await page.keyboard.type('user 12')
    await page.keyboard.press('Enter')
    const { history } = dashboard.service.users.get('user 12')!
    const rows = page.getByRole('region', { name: 'History of user 12' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(history.length)
    expect(await rows.first().textContent()).toContain(history[0]!.item)
    // The beginning of a name selects the first such user.
    await box.click()
    await page.keyboard.type('user')
    const suggestions = page.locator('datalist option')
    await expect.poll(() => suggestions.first().getAttribute('value')).toBe('user 1')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'History of user 1,' }).waitFor()
    await page.locator('.why-item').first().press('Enter')
    await expect.poll(() => page.locator('.why-details').textContent()).toMatch(/kind.*Similar/)
    expect(await checkAccessibility(page)).toEqual([])
    await page.screenshot({ path: 'dist/screenshots/why-light.png', fullPage: true })
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.screenshot({ path: 'dist/screenshots/why-dark.png', fullPage: true })
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await widthOf(page)).toBe(360)
    await page.screenshot({ path: 'dist/screenshots/why-phone.png', fullPage: true })
    expect(complaints).toEqual([])
  })

  it('marks new users, and names the policy that replaces one without weights', async () => {
    const { page, complaints } = await open('?user=unknown+user')
    await expect
      .poll(() => page.locator('main').textContent())
      .toContain('is a new user without a history')
    await expect.poll(() => page.locator('.why-slate li').count()).toBe(10)
    await page.goto(`${dashboard.url}/#/why?user=${userOf('greedy')}&diversity=0.1&uncertainty=0.3`)
    const note = 'serves with greedy, which has no weights: ren is used instead'
    await expect.poll(() => page.locator('main').textContent()).toContain(note)
    await page.getByLabel('As served').check()
    await expect.poll(() => page.locator('main').textContent()).toContain('Policy greedy')
    expect(await page.locator('main').textContent()).not.toContain(note)
    expect(complaints).toEqual([])
  })

  it('explains an empty catalog', async () => {
    const empty = await dashboard.start({ shop: false })
    const { page, complaints } = await open('', empty)
    await expect.poll(() => page.locator('main').textContent()).toContain('The catalog is empty')
    expect(await checkAccessibility(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})

const namesOf = ({ items }: ServedRecommendation): string[] => items.map(({ item }) => item)

const namesIn = (list: Locator): Promise<string[]> => list.locator('.why-item').allTextContents()

const widthsIn = (list: Locator): Promise<(string | null)[]> =>
  list.locator('.why-bar span').evaluateAll((bars) => bars.map((bar) => bar.getAttribute('style')))

/** The numbers of each item by the names of its terms. */
const termsIn = (list: Locator): Promise<Record<string, string>[]> =>
  list
    .locator('li')
    .evaluateAll((rows) =>
      rows.map((row) =>
        Object.fromEntries(
          [...row.querySelectorAll<HTMLElement>('[data-term]')].map((term) => [
            term.dataset['term']!,
            term.lastChild!.textContent!.trim(),
          ]),
        ),
      ),
    )

const decimalsOf = (text: string): number => text.split('.')[1]?.length ?? 0

const expectShown = (text: string, value: number): void => {
  expect(text).toBe(value.toFixed(decimalsOf(text)))
}

const weightOf = (body: string | null): object =>
  (JSON.parse(body ?? '{}') as { exploration?: object }).exploration ?? {}

const widthOf = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth')
