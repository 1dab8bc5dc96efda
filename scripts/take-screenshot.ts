// Takes docs/images/dashboard.png: the page of `ren serve --demo` in a real browser, after REN's reward
// has risen.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchChromium } from '../test/e2e/browser.ts'
import { send, startServing, stopServing } from '../test/serving.ts'
import { buildPage } from './build-page.ts'
import { checkout } from './checkout.ts'

const picture = join(checkout, 'docs', 'images', 'dashboard.png')
const rounds = 400

await buildPage()
const folder = mkdtempSync(join(tmpdir(), 'ren-screenshot-'))
const serving = await startServing(['--demo'], { cwd: folder })
const browser = await launchChromium()
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } })
  await page.goto(serving.address)
  await page.locator('.chart').first().waitFor()
  while ((await roundsPlayed()) < rounds) await page.waitForTimeout(500)
  await page.screenshot({ path: picture })
} finally {
  await browser.close()
  await stopServing(serving)
  rmSync(folder, { recursive: true })
}

async function roundsPlayed(): Promise<number> {
  const { variants } = await send<{ variants: { at: number[] }[] }>(serving.address, '/v1/demo')
  return variants[0]?.at.at(-1) ?? 0
}
