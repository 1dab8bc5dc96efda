// Screenshots of a page for review: light, dark, and on a phone.

import type { Page } from 'playwright-core'

const folder = 'dist/screenshots'
const phone = { width: 360, height: 740 }

/**
 * Resolves with the pixels by which the page is wider than the phone, and leaves it as it was, in
 * the theme of the system.
 */
export async function takePictures(page: Page, name: string): Promise<number> {
  const shoot = (look: string) =>
    page.screenshot({ path: `${folder}/${name}-${look}.png`, fullPage: true })
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await shoot(colorScheme)
  }
  const size = page.viewportSize()!
  await page.setViewportSize(phone)
  await shoot('phone')
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  await page.setViewportSize(size)
  await page.emulateMedia({ colorScheme: null })
  return width - phone.width
}
