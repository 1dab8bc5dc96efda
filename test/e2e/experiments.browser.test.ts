// The view Experiments in a real browser: runs are started, watched, exported, stopped and removed.

import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import type { Job } from 'ren-recommender/service'
import { describe, expect, it } from 'vitest'
import { hasChromium } from '../../scripts/ensure-chromium.ts'
import type { ExperimentResult } from '../../src/cli/experiment-runner.ts'
import { checkAccessibility } from './accessibility.ts'
import { takePictures } from './pictures.ts'
import { useDashboard } from './use-dashboard.ts'

interface Wanted {
  readonly methods: readonly string[]
  readonly steps?: string
  readonly seeds?: string
  readonly world?: string
}

describe.skipIf(!hasChromium())('the view Experiments', () => {
  const dashboard = useDashboard({ shop: false })

  const open = async () => {
    const watched = await dashboard.open('/#/experiments')
    await watched.page.getByRole('heading', { name: 'Runs' }).waitFor()
    return watched
  }
  const newest = async (): Promise<Job> => {
    const answer = await fetch(`${dashboard.url}/v1/runs`)
    const { jobs } = (await answer.json()) as { jobs: Job[] }
    return jobs[0]!
  }

  it('starts a run, plots its results and downloads them', async () => {
    const { page, complaints } = await open()
    await page.getByText('No runs yet.').waitFor()
    await page.screenshot({ path: 'dist/screenshots/experiments-empty.png', fullPage: true })
    await start(page, { methods: ['gru4rec', 'random'], steps: '100', seeds: '1..2' })
    await entries(page, 'done').first().waitFor({ timeout: 30_000 })
    const table = finalTable(page)
    await expect.poll(() => table.getByRole('row').count()).toBe(3)
    expect(await table.textContent()).toMatch(
      /gru4rec.*base of the comparison.*random.*(better|worse|unclear)/,
    )
    const { summary } = (await newest()).progress.data as ExperimentResult
    const last = summary.methods.at(-1)!

    const csv = (await download(page)).toString()
    const [header, ...rows] = csv.trimEnd().split('\r\n')
    expect(header!.split(',').slice(2)).toEqual([
      'method',
      'measure',
      'step',
      'mean',
      'standard_error',
      'seeds',
    ])
    expect(rows).toHaveLength(4)
    const { mean, standardError } = last.series['reward']!.at(-1)!
    expect(rows.at(-1)?.split(',').slice(2)).toEqual(
      [last.method, 'reward', 100, mean, standardError, 2].map(String),
    )

    expect(complaints).toEqual([])
  }, 60_000)

  it('overlays runs, hides methods, switches to regret and is accessible', async () => {
    const { page, complaints } = await open()
    await start(page, { methods: ['random', 'oracle'], steps: '200', seeds: '1..3' })
    await expect.poll(() => entries(page, 'done').count(), { timeout: 30_000 }).toBe(2)
    await page.locator('.run:not(.chosen) input').check()
    await expect.poll(() => finalTable(page).getByRole('row').count()).toBe(5)
    const chart = page.getByRole('figure', { name: /over the steps/ })
    expect(await chart.getAttribute('aria-label')).toMatch(/oracle \(syn-s, .*gru4rec \(syn-s, /)
    await page.getByRole('group', { name: 'Visible methods' }).getByLabel('gru4rec').uncheck()
    expect(await chart.getAttribute('aria-label')).not.toContain('gru4rec')
    await page.getByRole('radio', { name: 'Regret' }).check()
    await page.getByRole('heading', { name: 'Regret by step' }).waitFor()
    expect(page.url()).toContain('measure=regret')
    expect(await finalTable(page).textContent()).toContain('better')
    await readChart(page)
    expect(await checkAccessibility(page)).toEqual([])
    expect(await takePictures(page, 'experiments-overlaid')).toBe(0)
    expect(complaints).toEqual([])
  }, 60_000)

  it('stops a run, which retains its results, and removes it', async () => {
    const { page, complaints } = await open()
    await start(page, { methods: ['random', 'ren-g'], steps: '60', seeds: '1..500' })
    const running = entries(page, 'running').first()
    await running.waitFor()
    await expect
      .poll(async () => Number(await running.locator('progress').getAttribute('value')), {
        timeout: 30_000,
      })
      .toBeGreaterThan(0)
    const chart = page.getByRole('figure', { name: /over the steps/ })
    await chart.waitFor({ timeout: 30_000 })
    await page.screenshot({ path: 'dist/screenshots/experiments-running.png', fullPage: true })
    await running.getByRole('button', { name: 'Stop' }).click()
    const stopped = entries(page, 'canceled')
    await stopped.getByText('Stopped').waitFor()
    expect(await chart.count()).toBe(1)
    await page.reload()
    await chart.waitFor()
    await stopped.getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => stopped.count()).toBe(0)
    expect(complaints).toEqual([])
  }, 60_000)

  it('shows errors of the service at their field, and what a world lacks', async () => {
    const { page, complaints } = await open()
    await start(page, { methods: ['random'], seeds: 'many' })
    const seeds = page.getByRole('textbox', { name: 'Seeds' })
    await page.locator('.field', { hasText: 'must be integers' }).waitFor()
    expect(await seeds.getAttribute('aria-invalid')).toBe('true')
    // The vectors of this world have another dimension, which only its run can tell.
    const wide = { name: 'wide', method: 'gru4rec', settings: { dimension: 32 } }
    const settings = {
      world: 'cold-content',
      worldSettings: { steps: 9 },
      methods: [wide],
      seeds: '1',
    }
    const answer = await fetch(`${dashboard.url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'race', settings }),
    })
    const { id } = (await answer.json()) as { readonly id: string }
    await page.goto(`${dashboard.url}/#/experiments?runs=${id}`)
    await page.locator('.run .error', { hasText: '32' }).first().waitFor({ timeout: 30_000 })
    await page.getByText(/^This run has no results: .*32/).waitFor()
    await start(page, { methods: ['random'], steps: '9', seeds: '1' })
    await expect.poll(() => seeds.getAttribute('aria-invalid')).toBe('false')
    await page.screenshot({ path: 'dist/screenshots/experiments-refused.png', fullPage: true })
    expect(complaints).toEqual([])
  }, 60_000)
})

async function start(page: Page, { methods, steps, seeds, world }: Wanted): Promise<void> {
  if (world !== undefined)
    await page.getByLabel('World', { exact: true }).first().selectOption(world)
  const boxes = page.getByRole('group', { name: 'Methods', exact: true }).getByRole('checkbox')
  for (const box of await boxes.all()) await box.uncheck()
  for (const method of methods) {
    await page
      .getByRole('group', { name: 'Methods', exact: true })
      .getByLabel(method, { exact: true })
      .check()
  }
  if (steps !== undefined) await page.getByRole('spinbutton', { name: 'Steps' }).fill(steps)
  if (seeds !== undefined) await page.getByRole('textbox', { name: 'Seeds' }).fill(seeds)
  await page.getByRole('button', { name: 'Start' }).click()
}

const entries = (page: Page, state: Job['state']): Locator =>
  page.locator(`.run[data-state=${state}]`)

/** Checks the values under the pointer, zooms in, and resets the zoom. */
async function readChart(page: Page): Promise<void> {
  const plot = page.locator('.chart .plane')
  const step = (): Promise<string | null> => page.locator('.chart .legend b').first().textContent()
  const picture = (): Promise<string> =>
    page
      .locator('.chart svg > g')
      .evaluateAll((parts) => parts.map((part) => part.outerHTML).join())
  const { x, y, width, height } = (await plot.boundingBox())!
  const [left, right, middle] = [x + 0.1 * width, x + 0.6 * width, y + height / 2]
  const whole = await picture()
  expect(await step()).toBe('200')
  await page.mouse.move(left, middle)
  await expect.poll(step).toBe('50')
  await page.mouse.down()
  await page.mouse.move(right, middle, { steps: 3 })
  await page.mouse.up()
  await expect.poll(picture).not.toBe(whole)
  await plot.dblclick()
  await expect.poll(picture).toBe(whole)
  const toggle = page.locator('.chart .legend button').first()
  await toggle.click()
  await expect.poll(picture).not.toBe(whole)
  await toggle.click()
  await expect.poll(picture).toBe(whole)
}

const finalTable = (page: Page): Locator => page.getByRole('table', { name: 'Final results' })

async function download(page: Page): Promise<Buffer> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV', exact: true }).click(),
  ])
  expect(file.suggestedFilename()).toBe('syn-s-reward.csv')
  return readFileSync(await file.path())
}
