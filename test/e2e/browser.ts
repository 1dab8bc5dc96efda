// The system's Chromium, and pages that record the complaints on their console.

import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { chromiumPath, hasChromium } from '../../scripts/ensure-chromium.ts'

if (!hasChromium()) console.warn(`skipped: the browser tests need ${chromiumPath}`)

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath, args })

let shared: Promise<Browser> | null = null

/** One browser for all tests of this process; it ends with the process. */
export const sharedChromium = (): Promise<Browser> => (shared ??= launchChromium())

export interface WatchedPage {
  readonly page: Page
  /** Errors and warnings on its console, and uncaught errors. */
  readonly complaints: readonly string[]
}

export async function openPage(browser: Browser): Promise<WatchedPage> {
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return { page, complaints }
}
