// The Operations view in a real browser: health, keys and models.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasChromium } from '../../scripts/ensure-chromium.ts'
import { checkAccessibility } from './accessibility.ts'
import type { DashboardSettings } from './dashboard.ts'
import { freshSchema, hasPostgres } from '../postgres.ts'
import { useVisits } from './use-dashboard.ts'

describe.skipIf(!hasChromium())('the view Operations', { timeout: 60_000 }, () => {
  const visits = useVisits()

  async function start(settings?: DashboardSettings) {
    const dashboard = await visits.start(settings)
    return { dashboard, ...(await visits.open(`${dashboard.url}/#/operations`)) }
  }

  const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
  const row = (page: Page, name: string) => page.getByRole('row', { name })
  /** The message that the browser logs for an error response. */
  const isRefusal = (complaint: string) => /status of 409/.test(complaint)

  it('shows health, size and latency, accessibly', async () => {
    const { dashboard, page, complaints } = await start()
    await page.getByText('Ready', { exact: true }).waitFor()
    const health = panel(page, 'Health')
    await health.getByText(/^\d+ s, since /).waitFor()
    await health.getByText(/^[\d.]+ [kM]B with 73 events$/).waitFor()
    expect(await health.getByRole('link', { name: 'Prometheus' }).getAttribute('href')).toBe(
      '/metrics',
    )
    await row(page, 'GET /v1/keys').waitFor()
    await fetch(`${dashboard.url}/v1/items/lamp%201`)
    await row(page, 'GET /v1/items/:item').getByText('1', { exact: true }).waitFor()
    await page.screenshot({ path: 'dist/screenshots/operations.png', fullPage: true })
    expect(await checkAccessibility(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    // The menu scrolls to the current view, because it is wider than a phone.
    await page.goto(`${dashboard.url}/#/live`)
    await page.goto(`${dashboard.url}/#/operations`)
    await page.getByText('Ready', { exact: true }).waitFor()
    const { x, width } = (await page.locator('.bar nav [aria-current]').boundingBox())!
    expect(x + width).toBeLessThanOrEqual(360)
    expect(complaints).toEqual([])
  })

  it('creates keys, shows each once, and revokes them after a confirmation', async () => {
    const { dashboard, page, complaints } = await start({ shop: false })
    await page.getByText('There are no keys').waitFor()
    await page.getByLabel('Name of a new key').fill('me')
    await page.getByRole('button', { name: 'Create key' }).click()
    const secret = page.getByLabel('The new key')
    await secret.waitFor()
    expect(await secret.inputValue()).toMatch(/^ren_[a-z0-9]{12}_/)
    // The next key has fewer scopes.
    expect(await page.getByLabel('admin').isChecked()).toBe(false)
    await row(page, 'me admin').getByText('in use').waitFor()
    await page.screenshot({ path: 'dist/screenshots/operations-key.png', fullPage: true })
    expect(await checkAccessibility(page)).toEqual([])
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied').waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toBe(await secret.inputValue())
    await page.getByRole('button', { name: 'Done' }).click()
    await secret.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    const answer = await fetch(`${dashboard.url}/v1/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${copied}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'shop', scopes: ['events'] }),
    })
    const { key } = (await answer.json()) as { key: string }

    const revoke = row(page, 'me admin').getByRole('button', { name: 'Revoke me' })
    const dialog = page.getByRole('dialog', { name: 'Revoke the key me?' })
    await revoke.click()
    await dialog.getByText('This tab uses it').waitFor()
    await page.screenshot({ path: 'dist/screenshots/operations-revoke.png' })
    expect(await checkAccessibility(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await row(page, 'me admin').getByText('in use').waitFor()
    await revoke.click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('heading', { name: 'API key required' }).waitFor()
    await page.getByLabel('Key', { exact: true }).fill('ren_of_unknown')
    await page.getByRole('button', { name: 'Use this key' }).click()
    await page.getByRole('alert').getByText('refuses this key').waitFor()
    await page.getByLabel('Key', { exact: true }).fill(key)
    await page.getByRole('button', { name: 'Use this key' }).click()
    await page.getByRole('alert').getByText('does not have the scope admin').waitFor()
  })

  it('trains now, shows the outcome, and rolls back after a confirmation', async () => {
    const { page, complaints } = await start()
    await row(page, 'ren v0').getByText('served').waitFor()
    await page.getByRole('button', { name: 'Train now' }).click()
    await page.getByText(/ren was trained: version 1, loss/).waitFor()
    await row(page, 'ren v1').getByText('served').waitFor()
    await page.getByRole('button', { name: 'Roll back to ren v0' }).click()
    const dialog = page.getByRole('dialog', { name: 'Roll back to ren v0?' })
    await dialog.getByRole('button', { name: 'Roll back' }).click()
    await row(page, 'ren v2').getByText('rolled back').waitFor()
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Train now' }).click()
    await page.getByText('greedy: no new events to train on.').waitFor()
    expect(complaints).toEqual([])
  })

  it('explains why it does not train', async () => {
    const { page, complaints } = await start({ service: { learning: { enabled: false } } })
    await page.getByRole('button', { name: 'Train now' }).click()
    await page.getByRole('alert').getByText('learning-off').waitFor()
    expect(complaints.filter((one) => !isRefusal(one))).toEqual([])
  })

  it.skipIf(!hasPostgres)(
    'shows the services of a store, and who becomes the learner',
    async () => {
      const store = await freshSchema()
      const first = await visits.start({ service: { store } })
      const { page, complaints } = await start({ service: { store }, shop: false })
      const services = panel(page, 'Services')
      // On a busy machine the lease may pass from one to the other.
      await row(page, 'learner').getByText('ren v0, greedy v0').waitFor()
      await row(page, 'follower').waitFor()
      await page.screenshot({ path: 'dist/screenshots/operations-services.png', fullPage: true })
      expect(await checkAccessibility(page)).toEqual([])
      await first.close()
      await services.getByText('this page is from a learner').waitFor()
      await row(page, 'follower').waitFor({ state: 'detached' })
      expect(complaints).toEqual([])
    },
  )
})
