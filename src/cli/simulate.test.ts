import { describe, expect, it } from 'vitest'
import { runRenHere } from '../../test/run-here.ts'
import { runRen } from '../../test/run-ren.ts'

const usual = ['simulate', '--world', 'syn-s', '--method', 'ren-g', '--steps', '120']
const simulate = (...more: string[]) => runRenHere([...usual, ...more])

describe('ren simulate', () => {
  it('prints one JSON document that depends only on the seed, except for the duration', async () => {
    const first = await runRen([...usual, '--json'])
    const second = await simulate('--json')
    const { milliseconds, ...report } = JSON.parse(first.stdout) as Record<string, unknown>
    expect(milliseconds).toBeGreaterThan(0)
    expect(report).toMatchObject({ world: 'syn-s', method: 'ren-g', seed: 1, steps: 120 })
    expect(Object.keys(report)).toEqual([
      'world',
      'method',
      'seed',
      'steps',
      'finalReward',
      'meanReward',
      'cumulativeRegret',
      'curve',
    ])
    expect(report['curve']).toHaveLength(2)
    expect(JSON.parse(second.stdout)).toMatchObject(report)
  })

  it('divides settings between world and method, and prints the results', async () => {
    const { code, stdout } = await simulate('--set', 'users=3', '--set', 'diversityWeight=.05')
    expect(code).toBe(0)
    expect(stdout).toMatch(/ren-g in syn-s, seed 1/)
    expect(stdout).toMatch(/final reward +0\.\d{4}/)
  })

  it.each([
    [['--set', 'color=red'], /ren-g has no setting color/],
    [['--set', 'users=0'], /users must be an integer of at least 1, got 0/],
    [['--feedback', 'loud'], /feedback must be selected or shown/],
    [['--method', 'ren-x'], /no method is called ren-x/],
    [['--world', 'syn-x'], /world must be one of syn-s/],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await simulate(...args)
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
  })

  it('reports the reward so far on Ctrl-C', async () => {
    const { code, stdout } = await runRen(
      ['simulate', '--world', 'syn-l', '--method', 'ren-g', '--steps', '1000000', '--json'],
      'step',
    )
    expect(code).toBe(130)
    const { steps } = JSON.parse(stdout) as { steps: number }
    expect(steps).toBeGreaterThan(0)
    expect(steps).toBeLessThan(1_000_000)
  }, 60_000)
})
