import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

import { walkFile, walkPlan } from '../../test/walk-plan.ts'
import { jobsOf } from './jobs.ts'
import { planHash } from './manifest.ts'
import { choosePlans, loadPlans, completeFigure, parsePlan, quickPlan } from './plan.ts'

const [panel, method, figure] = [walkFile.panels[0]!, walkFile.methods[0]!, walkFile.figures[0]!]
const { protocol: _, ...withoutProtocol } = walkFile

describe('a plan', () => {
  it('is what its file holds', () => {
    expect(parsePlan(walkFile, 'walk.json')).toEqual(walkFile)
  })

  const nineNames = 'uphill a b c d e f g h'.split(' ')

  it.each<[string, object, string]>([
    ['an unknown key', { speed: 1 }, 'unknown key "speed"; known are name, group, title'],
    [
      'an unknown key far in',
      { panels: [panel, { ...panel, name: 'x', seed: 1 }] },
      'panels: 1: unknown key "seed"; known are name, title, world',
    ],
    ['a name that is no file name', { name: '../walk' }, 'name: expected a name of small letters'],
    ['seeds of another kind', { seeds: true }, 'seeds: expected whole numbers, such as "200..219"'],
    ['seeds that cannot be read', { seeds: '5..1' }, 'seeds: expected whole numbers such as'],
    ['no panels', { panels: [] }, 'panels: expected a list of at least one, got an array'],
    [
      'a setting that is not flat',
      { methods: [{ ...method, settings: { drift: [1] } }] },
      'methods: 0: settings: drift: expected a text, a number, true or false, got an array',
    ],
    ['a panel twice', { panels: [panel, panel] }, 'panels: expected each once, got short twice'],
    [
      'a method in an unknown panel',
      { methods: [{ ...method, panels: ['wide'] }] },
      'methods: uphill: panels: expected one of short, long, got wide',
    ],
    [
      'a comparison with an unknown method',
      { comparisons: [{ method: 'uphill', against: 'down', measure: 'end' }] },
      'comparisons: expected one of uphill, level, got down',
    ],
    [
      'a check of a run that it does not have',
      { check: [{ panel: 'short', method: 'level', seed: 7 }] },
      'check: expected a run of the plan, got level in short with seed 7',
    ],
    ['unknown data', { data: ['oracle-bones'] }, 'data: 0: expected movielens-1m or'],
    [
      'a figure of an unknown kind',
      { figures: [{ ...figure, kind: 'pie' }] },
      'expected curves or',
    ],
    [
      'a figure without what it shows',
      { figures: [{ ...figure, kind: 'bars' }] },
      'figures: curves: expected the key "measure" of bars, got none',
    ],
    [
      'a sweep without values',
      { figures: [{ ...figure, kind: 'sweep', measure: 'end' }] },
      'expected the key "value" of uphill in a sweep, got none',
    ],
    [
      'a figure with more hues than can be distinguished',
      {
        methods: nineNames.map((name) => ({ ...method, name })),
        comparisons: [],
        check: [{ panel: 'short', method: 'uphill', seed: 200 }],
        quick: { seeds: '1', world: {} },
        figures: [{ ...figure, methods: nineNames.map((name) => ({ name })) }],
      },
      'expected at most 8 hues, which can be distinguished, got 9',
    ],
  ])('refuses %s, and says where and what it expected', (_case, change, message) => {
    const parse = () => parsePlan({ ...walkFile, ...change }, 'walk.json')
    expect(parse).toThrow(`walk.json: `)
    expect(parse).toThrow(message)
    expect(parse).toThrow(expect.objectContaining({ code: 'plan-invalid' }))
  })

  it('refuses a file in which something is missing, or that is no plan at all', () => {
    expect(() => parsePlan(withoutProtocol, 'a.json')).toThrow(
      'a.json: the key "protocol" is missing',
    )
    expect(() => parsePlan([], 'a.json')).toThrow('a.json: expected an object, got an array')
  })

  it('has a run for each panel, method and seed, but for methods kept to some panels', () => {
    const methods = [walkFile.methods[1]!, { ...method, panels: ['long'] }]
    const jobs = jobsOf(walkPlan({ methods }), 'data')
    expect(jobs.map(({ panel: where, label, seed }) => `${where} ${label} ${seed}`)).toEqual(
      ['short level', 'long level', 'long uphill'].flatMap((name) =>
        [200, 201, 202].map((seed) => `${name} ${seed}`),
      ),
    )
    expect(jobs.at(-1)).toEqual({
      protocol: 'walk',
      panel: 'long',
      label: 'uphill',
      method: 'walk',
      seed: 202,
      settings: { drift: 1 },
      world: { steps: 20 },
      data: 'data',
    })
  })

  it('has a small form of fewer seeds, panels and methods, and smaller worlds', () => {
    const quick = { seeds: [1], world: { steps: 2 }, panels: ['short'], methods: ['level'] }
    const small = quickPlan(walkPlan({ quick }))
    expect(jobsOf(small)).toHaveLength(1)
    expect(jobsOf(small)[0]).toMatchObject({ seed: 1, label: 'level', world: { steps: 2 } })
    expect(small.comparisons).toEqual([])
    const spec = completeFigure(small, small.figures[0]!)
    expect([...spec.panels, ...spec.methods].map(({ name }) => name)).toEqual(['short', 'level'])
  })

  it('completes its figures from what it says of panels and methods', () => {
    const plan = walkPlan()
    expect(completeFigure(plan, plan.figures[0]!)).toEqual({
      kind: 'curves',
      title: 'Walks',
      xLabel: 'step',
      yLabel: 'place',
      series: 'place',
      panels: [
        { name: 'short', title: 'Short walks' },
        { name: 'long', title: 'Long walks' },
      ],
      methods: [
        { name: 'uphill', label: 'uphill' },
        { name: 'level', label: 'level' },
      ],
      note: 'generated data',
    })
  })

  it('has a hash of what decides its rows, in whatever order keys are written', () => {
    const { world, ...rest } = panel
    const same = walkPlan({ title: 'x', seeds: '1', check: [{ ...walkFile.check[0]!, seed: 1 }] })
    const turned = walkPlan({ panels: [{ world, ...rest }, walkFile.panels[1]] })
    const other = walkPlan({ panels: [{ ...panel, world: { steps: 6 } }, walkFile.panels[1]] })
    expect(planHash(same)).toBe(planHash(walkPlan()))
    expect(planHash(turned)).toBe(planHash(walkPlan()))
    expect(planHash(other)).not.toBe(planHash(walkPlan()))
  })
})

describe('a folder of plans', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ren-plans-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const write = (name: string, value: unknown): void =>
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(value))
  const namesOf = (...wanted: string[]) =>
    choosePlans(loadPlans(folder), wanted).map(({ name }) => name)

  it('gives plans by name, by group, and all of them', () => {
    for (const name of ['walk-b', 'walk-a']) write(name, { ...walkFile, name, group: 'walks' })
    write('run', { ...walkFile, name: 'run' })
    expect(namesOf('all')).toEqual(['run', 'walk-a', 'walk-b'])
    expect(namesOf('walks')).toEqual(['walk-a', 'walk-b'])
    expect(namesOf('walk-b', 'run')).toEqual(['run', 'walk-b'])
    expect(() => namesOf('swim')).toThrow(
      'expected experiments out of run, walks, or all; got swim',
    )
  })

  it('refuses a file that is not JSON, or is called otherwise than its plan', () => {
    write('other', walkFile)
    expect(() => loadPlans(folder)).toThrow('name: expected that of the file, other, got walk')
    writeFileSync(join(folder, 'other.json'), '{')
    expect(() => loadPlans(folder)).toThrow(/other\.json: expected JSON/)
    expect(() => loadPlans(join(folder, 'nowhere'))).toThrow(/expected a folder of plans at/)
  })
})
