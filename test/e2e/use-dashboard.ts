// Setup of the page's tests: a browser, dashboards, and pages that are closed after each test.

import { afterAll, afterEach, beforeAll } from 'vitest'
import { openPage, sharedChromium } from './browser.ts'
import type { WatchedPage } from './browser.ts'
import { builtPage, startDashboard } from './dashboard.ts'
import type { Dashboard, DashboardSettings } from './dashboard.ts'

const buildMs = 60_000

export interface Visits {
  /** A page at an address, closed after the test. */
  open(url: string): Promise<WatchedPage>
  /** A dashboard for this test alone. */
  start(settings?: DashboardSettings): Promise<Dashboard>
  /** Adds work for the end of the test; the last one added runs first. */
  after(end: () => Promise<unknown>): void
}

export function useVisits(): Visits {
  const ends: (() => Promise<unknown>)[] = []
  const after = (end: () => Promise<unknown>): void => void ends.unshift(end)
  beforeAll(() => Promise.all([sharedChromium(), builtPage()]), buildMs)
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })
  return {
    async open(url) {
      const watched = await openPage(await sharedChromium())
      after(() => watched.page.close())
      await watched.page.goto(url)
      return watched
    },
    async start(settings) {
      const dashboard = await startDashboard(settings)
      after(() => dashboard.close())
      return dashboard
    },
    after,
  }
}

/** Adds one dashboard for all tests of a file; `open` accepts addresses on it. */
export function useDashboard(settings?: DashboardSettings): Visits & Omit<Dashboard, 'close'> {
  const visits = useVisits()
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await startDashboard(settings)
  }, buildMs)
  afterAll(() => dashboard?.close())
  return {
    ...visits,
    open: (address) => visits.open(new URL(address, dashboard.url).href),
    get url() {
      return dashboard.url
    },
    get service() {
      return dashboard.service
    },
  }
}
