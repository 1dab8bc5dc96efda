// Checks the reproduction report against the committed results, and the results against their bars.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import {
  explorationPath,
  fillExploration,
  fillTemplate,
  pagePath,
  saturationStep,
  templatePath,
} from '../scripts/write-paper.ts'
import type { Manifest } from '../paper/experiments/manifest.ts'
import { includesRuns } from '../paper/experiments/plan-jobs.ts'
import { loadPlans } from '../paper/experiments/plan.ts'
import { parseSeeds } from '../src/experiments/seeds.ts'
import type { Comparison, Estimate, Summary } from '../src/experiments/summary.ts'
import { runRen } from './run-ren.ts'

const results = 'paper/results'
const read = (plan: string, file: string): unknown =>
  JSON.parse(readFileSync(join(results, plan, file), 'utf8'))
const summaryOf = (plan: string) => read(plan, 'summary.json') as Summary
const worlds = ['syn-s', 'syn-m', 'syn-l']

function gapOf(plan: string, panel: string): Comparison {
  return summaryOf(plan).comparisons.find(
    (each) =>
      each.panel === panel &&
      each.method === 'REN-G' &&
      each.against === 'GRU4Rec' &&
      each.measure === 'finalReward',
  )!
}

function finalReward(plan: string, panel: string, name: string): Estimate {
  const found = summaryOf(plan).methods.find(
    ({ panel: where, method }) => where === panel && method === name,
  )
  return found!.measures['finalReward']!
}

describe('paper/README.md', () => {
  it('equals its template, filled with the results', () => {
    expect(readFileSync(pagePath, 'utf8')).toBe(fillTemplate(readFileSync(templatePath, 'utf8')))
  })

  it('links to existing figures and tables', () => {
    const page = readFileSync(pagePath, 'utf8')
    for (const [, path] of page.matchAll(/\]\((results\/[^)]+)\)/g)) {
      expect(() => readFileSync(join('paper', path!)), path).not.toThrow()
    }
  })
})

describe('docs/exploration.md', () => {
  it('has the table of policies that the results say', () => {
    const page = readFileSync(explorationPath, 'utf8')
    expect(page).toBe(fillExploration(page))
  })
})

describe('the step of saturation', () => {
  const stepOf = (values: readonly number[]) =>
    saturationStep({
      at: values.map((_, i) => 50 * (i + 1)),
      series: { reward: values.map((mean) => ({ mean, standardError: 0, count: 1 })) },
    })

  it('is the first one from which the curve stays within 2% of the mean of its last quarter', () => {
    expect(stepOf([0.5, 0.7, 0.79, 0.8, 0.8, 0.8, 0.8, 0.8])).toBe(150)
    expect(stepOf([0.8, 0.8, 0.7, 0.8, 0.8, 0.8, 0.8, 0.8])).toBe(200)
    expect(stepOf([0.8, 0.8, 0.8, 0.8])).toBe(50)
    expect(stepOf([1, 2, 3, 4, 5, 6, 7, 8])).toBe(400)
  })

  it('does not come earlier if the curve leaves that range once more', () => {
    const values = fc.array(fc.double({ min: 0.1, max: 1, noNaN: true }), { minLength: 4 })
    fc.assert(
      fc.property(values, (curve) => {
        const quarter = Math.floor(curve.length * 0.75)
        const late = quarter - 1
        const changed = curve.with(late, 5)
        expect(stepOf(changed)).toBeGreaterThanOrEqual(stepOf(curve))
        expect(stepOf(changed)).toBeGreaterThan(50 * (late + 1))
      }),
    )
  })
})

describe('the share of runs near the optimum', () => {
  it('is all of them for the oracle and none for random choice', () => {
    expect(fillTemplate('{{share syn-s selected Oracle finalReward}}')).toBe('20 of 20')
    expect(fillTemplate('{{share syn-s selected Random finalReward}}')).toBe('0 of 20')
  })
})

const plans = loadPlans('paper/plans')

/** The plans that compare policies report the seeds 600 to 619, all others 200 to 219. */
const policyPlans = [
  'cold-content',
  'find-the-genre',
  'new-users',
  'syn-policies',
  'ml-1m-policies',
  'mind-policies',
]
/** Plans with settings that were chosen after the seeds 200 to 219 had run, and plans that tune. */
const otherFirstSeeds: Readonly<Record<string, number>> = {
  ...Object.fromEntries(policyPlans.map((plan) => [plan, 600])),
  'syn-reported': 600,
  'weights-grid': 600,
  'lin-ts-tuning': 0,
}
const firstSeed = (plan: string) => otherFirstSeeds[plan] ?? 200

describe('the plans', () => {
  it.each(plans.map(({ name, seeds }) => [name, parseSeeds(seeds)] as const))(
    'use with %s the seeds of its range',
    (name, seeds) => {
      const all = Array.from({ length: 20 }, (_, i) => firstSeed(name) + i)
      expect(all.slice(0, seeds.length)).toEqual(seeds)
    },
  )
})

/** Plans that have not run yet. */
const pending = new Set(['ml-1m-policies', 'weights-grid', 'lin-ts-tuning'])

describe('the committed results', () => {
  it('are complete for every plan, and belong to the current plan', () => {
    const run = plans.filter(({ name }) => !pending.has(name))
    expect(readdirSync(results).toSorted()).toEqual(run.map(({ name }) => name).toSorted())
    for (const plan of run) {
      const manifest = read(plan.name, 'manifest.json') as Manifest
      expect(includesRuns(manifest.plan, plan), plan.name).toBe(true)
      expect(includesRuns(plan, manifest.plan), plan.name).toBe(true)
      expect(manifest.kernel).toBe('simd128')
      expect(manifest.seeds.length, plan.name).toBeGreaterThan(1)
      expect(manifest.seeds[0], plan.name).toBe(firstSeed(plan.name))
    }
  })

  it.each(worlds.flatMap((plan) => ['selected', 'shown'].map((panel) => [plan, panel])))(
    'have REN-G above GRU4Rec beyond chance in %s, with rewards of %s items',
    (plan, panel) => {
      const { difference, lower } = gapOf(plan, panel)
      expect(difference.count).toBe(20)
      expect(lower).toBeGreaterThan(0)
    },
  )

  it.each(worlds)(
    'have REN-G near the optimum in %s with the rewards of all shown items',
    (plan) => {
      const { mean, standardError } = finalReward(plan, 'shown', 'REN-G')
      expect(mean + 2 * standardError).toBeGreaterThanOrEqual(0.8)
    },
  )

  it('show REN-G ahead by at least a tenth over the three worlds with feedback on the chosen item', () => {
    const gaps = worlds.map((plan) => gapOf(plan, 'selected').difference.mean)
    expect(gaps.reduce((sum, gap) => sum + gap) / gaps.length).toBeGreaterThanOrEqual(0.1)
  })

  it('show that diversity pays for new users of known items, and in slates that look for a genre', () => {
    const lead = (plan: string, method: string, against: string) =>
      summaryOf(plan).comparisons.find(
        (each) =>
          each.method === method && each.against === against && each.measure === 'meanReward',
      )!.difference
    expect(lead('new-users', 'REN-1,2', 'ε-greedy 0.3')).toMatchObject({ count: 20 })
    expect(lead('new-users', 'REN-1,2', 'ε-greedy 0.3').mean).toBeGreaterThanOrEqual(0.2)
    expect(lead('find-the-genre', 'REN-1,2', 'Greedy')).toMatchObject({ count: 20 })
    expect(lead('find-the-genre', 'REN-1,2', 'Greedy').mean).toBeGreaterThanOrEqual(0.1)
  })

  it('are reproduced by --check', async () => {
    const checked = ['syn-s', 'ablation', 'regret']
    const { code, stdout, stderr } = await runRen([
      'reproduce',
      ...checked,
      '--check',
      '--workers',
      '1',
    ])
    expect(code, stdout + stderr).toBe(0)
    for (const plan of checked) {
      expect(stdout).toMatch(new RegExp(`^${plan}: .*: equal$`, 'm'))
    }
    expect(stdout).not.toContain('DIFFERENT')
  }, 240_000)
})
