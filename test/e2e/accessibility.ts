// Checks the accessibility of a page with axe-core.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const themes = ['light', 'dark'] as const

/** Returns the serious and critical violations on the page, in both themes. */
export async function checkAccessibility(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme })
    // A theme changes colors and nothing else.
    const faults = await faultsOf(page, theme === 'light' ? 'axe.run()' : contrastAlone)
    found.push(...faults.map((fault) => `${theme}: ${fault}`))
  }
  await page.emulateMedia({ colorScheme: null })
  return found
}

const contrastAlone = "axe.run({ runOnly: ['color-contrast'] })"

async function faultsOf(page: Page, run: string): Promise<string[]> {
  // Evaluated as text, because the page's policy allows no other scripts.
  await page.evaluate(`globalThis.axe || ${source}`)
  const { violations } = await page.evaluate<AxeResults>(run)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`)
}
