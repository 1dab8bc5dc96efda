// The API reference in a real browser, under the Content-Security-Policy of the server.

import { operations } from 'ren-recommender/service'
import { describe, expect, it } from 'vitest'
import { hasChromium } from '../../scripts/ensure-chromium.ts'
import { closeServers, startServer } from '../servers.ts'
import { closeServices } from '../services.ts'
import { builtPage } from './dashboard.ts'
import { useVisits } from './use-dashboard.ts'

describe.skipIf(!hasChromium())('the API reference', { timeout: 120_000 }, () => {
  closeServices()
  closeServers()
  const visits = useVisits()

  it('shows every operation, sends requests with a key, and loads nothing from other hosts', async () => {
    const { server, keys } = await startServer({ page: await builtPage() }, [['admin']])
    const url = await server.listen({ port: 0 })
    const { page, complaints } = await visits.open('about:blank')
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(`${url}/docs`)
    await page.locator('.opblock').first().waitFor()
    expect(await page.locator('.opblock').count()).toBe(Object.keys(operations).length)
    expect(await page.getByRole('button', { name: 'Schemas' }).count()).toBe(1)

    await page.getByRole('button', { name: 'Authorize' }).click()
    const dialog = page.locator('.dialog-ux')
    await dialog.locator('input').fill(keys[0]!)
    await dialog.getByRole('button', { name: 'Apply credentials' }).click()
    await dialog.getByRole('button', { name: 'Close' }).click()
    const block = page.locator('.opblock', { hasText: '/v1/recommendations' }).first()
    await block.locator('.opblock-summary-control').click()
    await block.getByRole('button', { name: 'Try it out' }).click()
    await block.locator('textarea').fill('{"user":"ann","count":2}')
    await block.getByRole('button', { name: 'Execute' }).click()
    const answer = block.locator('.live-responses-table').first()
    await expect.poll(() => answer.textContent()).toMatch(/200.*"complete": true/s)

    await page.screenshot({ path: 'dist/screenshots/docs-light.png', fullPage: true })
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.screenshot({ path: 'dist/screenshots/docs-dark.png' })
    const isOwn = (one: string): boolean => one.startsWith(url) || /^(?:data|blob):/.test(one)
    expect(requested.filter((one) => !isOwn(one))).toEqual([])
    // Violations of the policy would be errors on the console.
    expect(complaints).toEqual([])
  })
})
