// Runs the quick version of every experiment of the paper.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Summary } from '../src/experiments/summary.ts'
import { runRen } from './run-ren.ts'
import type { Ended } from './run-ren.ts'

const patience = 300_000
const out = mkdtempSync(join(tmpdir(), 'ren-quick-'))
afterAll(() => rmSync(out, { recursive: true }))

const plans = readdirSync('paper/plans')
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace('.json', ''))
const summaryOf = (plan: string): Summary =>
  JSON.parse(readFileSync(join(out, plan, 'summary.json'), 'utf8')) as Summary

describe('ren reproduce all --quick', () => {
  let ended: Ended
  beforeAll(async () => {
    ended = await runRen(['reproduce', 'all', '--quick', '--workers', '1', '--out', out])
  }, patience)

  it('runs every plan whose data is available, and names the others', () => {
    expect(ended.code, ended.stderr).toBe(0)
    for (const plan of plans) {
      const ran = existsSync(join(out, plan, 'table.md'))
      expect(ran || ended.stderr.includes(`skipped ${plan}`), plan).toBe(true)
    }
    expect(readdirSync(out)).toEqual(expect.arrayContaining(['ablation', 'regret', 'syn-s']))
  })

  it('draws the figures of each plan', () => {
    expect(existsSync(join(out, 'syn-s', 'curves-shown.svg'))).toBe(true)
    expect(existsSync(join(out, 'syn-s', 'curves-shown.png'))).toBe(true)
  })

  it('shows a clear lead of REN-G over GRU4Rec in the three synthetic worlds together', () => {
    const gains = ['syn-s', 'syn-m', 'syn-l'].map((plan) => {
      const { methods } = summaryOf(plan)
      const final = (name: string): number =>
        methods.find(({ method }) => method === name)!.measures['finalReward']!.mean
      expect(final('Oracle')).toBeCloseTo(0.8165, 4)
      return final('REN-G') - final('GRU4Rec')
    })
    expect(gains.reduce((sum, gain) => sum + gain) / gains.length).toBeGreaterThan(0.04)
  })
})
