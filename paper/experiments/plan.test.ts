import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

import { walkFile, walkPlan } from '../../test/walk-plan.ts'
import { includesRuns } from './plan-jobs.ts'
import { jobsOf } from './plan-jobs.ts'
import { choosePlans, loadPlans, completeFigure, parsePlan, quickPlan } from './plan.ts'

const [panel, method, figure] = [walkFile.panels[0]!, walkFile.methods[0]!, walkFile.figures[0]!]
const { protocol: _, ...withoutProtocol } = walkFile

describe('a plan', () => {
  it('equals the content of its file', () => {
    expect(parsePlan(walkFile, 'walk.json')).toEqual(walkFile)
  })

  const nineNames = 'uphill a b c d e f g h'.split(' ')

  it.each<[string, object, string]>([
    ['an unknown key', { speed: 1 }, 'has no key "speed"; its keys are name, group, title'],
    [
      'an unknown nested key',
      { panels: [panel, { ...panel, name: 'x', seed: 1 }] },
      'panels[1] has no key "seed"; its keys are name, title, world',
    ],
    [
      'a name that is not a file name',
      { name: '../walk' },
      'name must be a name of lowercase letters',
    ],
    ['seeds of the wrong type', { seeds: true }, 'seeds must be integers, such as "200..219"'],
    ['invalid seeds', { seeds: '5..1' }, 'seeds must be integers such as'],
    ['no panels', { panels: [] }, 'panels must be a non-empty array, got an empty array'],
    [
      'a setting that is not flat',
      { methods: [{ ...method, settings: { drift: [1] } }] },
      'methods[0].settings.drift must be a string, a number or a boolean, got an array',
    ],
    ['a duplicate panel', { panels: [panel, panel] }, 'panels must be unique, got short twice'],
    [
      'a method in an unknown panel',
      { methods: [{ ...method, panels: ['wide'] }] },
      'methods: uphill: panels must be one of short, long, got wide',
    ],
    [
      'settings of an unknown method in a panel',
      { panels: [{ ...panel, methods: { downhill: { drift: 1 } } }] },
      'panels: short: methods must be one of uphill, level, got downhill',
    ],
    [
      'a comparison with an unknown method',
      { comparisons: [{ method: 'uphill', against: 'down', measure: 'end' }] },
      'comparisons must be one of uphill, level, got down',
    ],
    [
      'a check of an unknown run',
      { check: [{ panel: 'short', method: 'level', seed: 7 }] },
      'check must be a run of the plan, got level in short with seed 7',
    ],
    ['unknown data', { data: ['oracle-bones'] }, 'data[0] must be movielens-1m or'],
    ['a figure of an unknown kind', { figures: [{ ...figure, kind: 'pie' }] }, 'must be curves or'],
    [
      'a figure without a measure',
      { figures: [{ ...figure, kind: 'bars' }] },
      'figures: curves: bars must have the key "measure", got none',
    ],
    [
      'a sweep without values',
      { figures: [{ ...figure, kind: 'sweep', measure: 'end' }] },
      'uphill in a sweep must have the key "value", got none',
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
      'must have at most 8 distinguishable hues, got 9',
    ],
  ])('refuses %s, and says where and what is allowed', (_case, change, message) => {
    const parse = () => parsePlan({ ...walkFile, ...change }, 'walk.json')
    expect(parse).toThrow('walk.json')
    expect(parse).toThrow(message)
    expect(parse).toThrow(expect.objectContaining({ code: 'plan-invalid' }))
  })

  it('refuses a file with a missing key, or that is not a plan', () => {
    expect(() => parsePlan(withoutProtocol, 'a.json')).toThrow('a.json: protocol is required')
    expect(() => parsePlan([], 'a.json')).toThrow('a.json must be an object, got an empty array')
  })

  it('has one run per panel, method and seed, except for methods limited to some panels', () => {
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

  it('has a quick version with fewer seeds, panels and methods, and smaller worlds', () => {
    const quick = { seeds: [1], world: { steps: 2 }, panels: ['short'], methods: ['level'] }
    const small = quickPlan(walkPlan({ quick }))
    expect(jobsOf(small)).toHaveLength(1)
    expect(jobsOf(small)[0]).toMatchObject({ seed: 1, label: 'level', world: { steps: 2 } })
    expect(small.comparisons).toEqual([])
    const spec = completeFigure(small, small.figures[0]!)
    expect([...spec.panels, ...spec.methods].map(({ name }) => name)).toEqual(['short', 'level'])
  })

  it('can have settings of methods for one panel', () => {
    const [short, long] = walkFile.panels
    const panels = [{ ...short, methods: { uphill: { drift: 2 }, level: { noise: 1 } } }, long]
    const drawn = jobsOf(walkPlan({ panels, seeds: '201' }))
    expect(drawn.map(({ panel: where, label, settings }) => [where, label, settings])).toEqual([
      ['short', 'uphill', { drift: 2 }],
      ['short', 'level', { noise: 1 }],
      ['long', 'uphill', { drift: 1 }],
      ['long', 'level', {}],
    ])
  })

  it('completes its figures with its panels and methods', () => {
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

  it('includes the runs of another plan if methods, settings and worlds are equal, whatever else it has', () => {
    const { world, ...rest } = panel
    const same = walkPlan({ title: 'x', seeds: '1', check: [{ ...walkFile.check[0]!, seed: 1 }] })
    const turned = walkPlan({ panels: [{ world, ...rest }, walkFile.panels[1]] })
    const longer = walkPlan({ panels: [{ ...panel, world: { steps: 6 } }, walkFile.panels[1]] })
    const tuned = walkPlan({
      panels: [{ ...panel, methods: { uphill: { drift: 2 } } }, walkFile.panels[1]],
    })
    for (const other of [same, turned]) expect(includesRuns(other, walkPlan())).toBe(true)
    for (const other of [longer, tuned]) expect(includesRuns(other, walkPlan())).toBe(false)
    const larger = walkPlan({ methods: [...walkFile.methods, { name: 'steep', method: 'walk' }] })
    expect(includesRuns(larger, walkPlan())).toBe(true)
    expect(includesRuns(walkPlan(), larger)).toBe(false)
  })
})

describe('a folder of plans', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ren-plans-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const write = (name: string, value: unknown): void =>
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(value))
  const namesOf = (...wanted: string[]) =>
    choosePlans(loadPlans(folder), wanted).map(({ name }) => name)

  it('provides plans by name, by group, or all of them', () => {
    for (const name of ['walk-b', 'walk-a']) write(name, { ...walkFile, name, group: 'walks' })
    write('run', { ...walkFile, name: 'run' })
    expect(namesOf('all')).toEqual(['run', 'walk-a', 'walk-b'])
    expect(namesOf('walks')).toEqual(['walk-a', 'walk-b'])
    expect(namesOf('walk-b', 'run')).toEqual(['run', 'walk-b'])
    expect(() => namesOf('swim')).toThrow('experiments must be among run, walks, or all; got swim')
  })

  it('refuses a file that is not JSON or has another name than its plan', () => {
    write('other', walkFile)
    expect(() => loadPlans(folder)).toThrow('name must be other, the name of the file, got walk')
    writeFileSync(join(folder, 'other.json'), '{')
    expect(() => loadPlans(folder)).toThrow(/other\.json must be JSON/)
    expect(() => loadPlans(join(folder, 'nowhere'))).toThrow(/must be a folder of plans/)
  })
})
