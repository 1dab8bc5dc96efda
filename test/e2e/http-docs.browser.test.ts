// The page of the HTTP interface in a real browser, under its own Content-Security-Policy.

import { operations } from 'ren-recommender/service'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Browser } from 'playwright-core'
import { hasChromium } from '../../scripts/ensure-chromium.ts'
import { closeServers, startServer } from '../servers.ts'
import { closeServices } from '../services.ts'
import { sharedChromium, openPage } from './browser.ts'

describe.skipIf(!hasChromium())('the page of the HTTP interface', () => {
  closeServices()
  closeServers()
  let browser: Browser

  beforeAll(async () => {
    browser = await sharedChromium()
  }, 60_000)

  it('shows every operation and schema, lets one be tried, and requests nothing from other hosts', async () => {
    const { server, keys } = await startServer({}, [['admin']])
    const url = await server.listen({ port: 0 })
    const { page, complaints } = await openPage(browser)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(`${url}/docs`)
    await page.waitForSelector('#schema-Recommendation')
    expect(await page.locator('details').count()).toBe(Object.keys(operations).length)
    await page.fill('#key', keys[0]!)
    const block = page.locator('details', { hasText: 'POST /v1/recommendations' })
    await block.locator('summary').click()
    await block.locator('textarea').fill('{"user":"ann","count":2}')
    await block.locator('button').click()
    await expect.poll(() => block.locator('pre').textContent()).toMatch(/^200\n.*"complete":true/)
    expect(asked.filter((one) => !one.startsWith(url) && !one.startsWith('data:'))).toEqual([])
    expect(complaints).toEqual([])
    await page.close()
  })
})
