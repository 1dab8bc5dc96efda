import { Resvg } from '@resvg/resvg-js'
import fc from 'fast-check'
import { Window } from 'happy-dom'
import { describe, expect, it } from 'vitest'

import { RenError } from '../../../src/core/errors.ts'
import type { RunRow } from '../../../src/experiments/protocol.ts'
import { summarize, type Summary } from '../../../src/experiments/summary.ts'
import { drawFigure, toPng } from './draw.ts'
import type { BarsFigure, CurvesFigure, FigureSpec, HeatFigure, SweepFigure } from './figure.ts'
import { thin } from './lines.ts'
import { fontSize, textWidth } from './style.ts'

const page = (content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="20">${content}</svg>`
const words = (weight: string) =>
  page(
    `<text y="15" font-family="system-ui, sans-serif" font-weight="${weight}">λ ± √10 − 2</text>`,
  )

const sizeOf = (png: Uint8Array) => {
  const view = new DataView(png.buffer, png.byteOffset)
  return [view.getUint32(16), view.getUint32(20)]
}

describe('a PNG', () => {
  it('has twice the size of the SVG', () => {
    expect([...toPng(page('')).subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47])
    expect(sizeOf(toPng(page('')))).toEqual([240, 40])
  })

  it('has the same bytes each time', () => {
    expect(toPng(words('normal'))).toEqual(toPng(words('normal')))
  })

  it('has regular and bold text on machines without fonts', () => {
    expect(toPng(words('normal'))).not.toEqual(toPng(page('')))
    expect(toPng(words('bold'))).not.toEqual(toPng(words('normal')))
    // The output of the renderer without the bundled font.
    const options = { font: { loadSystemFonts: false }, fitTo: { mode: 'zoom', value: 2 } } as const
    const bare = new Resvg(words('normal'), options).render()
    expect(bare.asPng()).toEqual(toPng(page('')))
  })
})

describe('thinning', () => {
  it('retains the first and the last point, and few between', () => {
    const type = fc.constantFrom('linear' as const, 'log' as const)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), type, (count, scale) => {
        const points = Array.from({ length: count }, (_, i) => ({ x: i + 1 }))
        const selected = thin(points, scale)
        expect(selected[0]).toBe(points[0])
        expect(selected.at(-1)).toBe(points.at(-1))
        expect(selected.length).toBeLessThanOrEqual(112)
        if (count < 100) expect(selected).toEqual(points)
      }),
    )
  })
})

interface TestRuns {
  readonly methods?: readonly string[]
  readonly seeds?: number
  readonly steps?: number
  /** Reward of a method at a step with a seed. */
  readonly reward?: (step: number, method: number, seed: number) => number
}

function testSummary({
  methods = ['gru4rec', 'ren-g'],
  seeds = 3,
  ...rest
}: TestRuns = {}): Summary {
  const { steps = 40, reward = (step, method, seed) => method + seed / 9 + Math.sin(step) } = rest
  const at = Array.from({ length: steps }, (_, i) => i + 1)
  const rows = ['s', 'l'].flatMap((panel) =>
    methods.flatMap((method, m) =>
      Array.from({ length: seeds }, (_, seed): RunRow => {
        const values = at.map((step) => reward(step, m, seed))
        const series = { reward: values, bound: at.map((step) => 50 * Math.sqrt(step)) }
        const measures = { finalReward: values[steps - 1]! }
        return { panel, method, seed, at, series, measures, milliseconds: 1 }
      }),
    ),
  )
  return summarize('test', rows, [])
}

const text = {
  title: 'Reward & regret',
  xLabel: 'step',
  yLabel: 'reward < 1',
  panels: [
    { name: 's', title: 'SYN-S' },
    { name: 'l', title: 'SYN-L' },
  ],
  references: [{ value: 0.8165, label: 'Oracle' }],
  note: 'Generated data, 3 seeds.',
}
const methods = [
  { name: 'gru4rec', label: 'GRU4Rec', family: 'G', dashed: true },
  { name: 'ren-g', label: 'REN-G', family: 'G' },
]
const curves: CurvesFigure = { ...text, kind: 'curves', series: 'reward', methods }
const bars: BarsFigure = { ...text, kind: 'bars', measure: 'finalReward', methods }
const sweep: SweepFigure = {
  ...text,
  kind: 'sweep',
  measure: 'finalReward',
  methods: [
    { name: 'ren-g', value: 0.1 },
    { name: 'gru4rec', value: 0.001 },
  ],
}
const regret: CurvesFigure = {
  ...curves,
  kind: 'log-log',
  methods: [...methods, { name: 'ren-g', label: 'bound', series: 'bound', dashed: true }],
}
const kinds: readonly (readonly [string, FigureSpec])[] = [
  ['curves', curves],
  ['bars', bars],
  ['sweep', sweep],
  ['log-log', regret],
]

function parse(svg: string) {
  return new new Window().DOMParser().parseFromString(svg, 'image/svg+xml')
}

const textsOf = (svg: string) =>
  [...parse(svg).querySelectorAll('text')].map((element) => element.textContent)

const paths = (svg: string, mark: string): string[] =>
  [...parse(svg).querySelectorAll(`[aria-label="${mark}"] path`)].map(
    (path) => path.getAttribute('d') ?? '',
  )

/** Every coordinate of what is drawn of the data. */
function geometryOf(svg: string): number[] {
  const marks = ['line', 'area', 'rule', 'dot'].map((mark) => `[aria-label="${mark}"] *`)
  const drawn = [...parse(svg).querySelectorAll(marks.join(','))]
  return drawn.flatMap((element) =>
    ['d', 'cx', 'cy', 'x1', 'x2', 'y1', 'y2'].flatMap((name) =>
      (element.getAttribute(name)?.match(/[-\d.]+|NaN/g) ?? []).map(Number),
    ),
  )
}

describe('a figure of any kind', () => {
  it.each(kinds)('is self-contained and has a light background: %s', (_, figure) => {
    const svg = drawFigure(figure, testSummary())
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    expect(svg).toMatch(/<rect width="\d+" height="\d+" fill="#ffffff"\/>/)
    expect(svg).not.toMatch(/NaN|Infinity|undefined|href|url\(|<style/)
    expect(svg.match(/ xmlns=/g)!.length).toBeLessThanOrEqual(2)
    // The renderer takes well-formed XML only.
    expect(toPng(svg).length).toBeGreaterThan(0)
  })

  it.each(kinds)('has a title, labels and a note: %s', (kind, figure) => {
    const texts = textsOf(drawFigure(figure, testSummary()))
    for (const label of ['Reward & regret', 'step', 'SYN-S', 'SYN-L', 'Oracle', text.note])
      expect(texts).toContain(label)
    if (kind !== 'sweep') for (const { label } of methods) expect(texts).toContain(label)
    if (kind !== 'bars') expect(texts).toContain('reward < 1')
    expect(texts.find((line) => line.startsWith('Mean of 3 runs'))).toMatch(/standard error/)
  })

  it.each(kinds)('has the same bytes each time: %s', (_, figure) => {
    expect(drawFigure(figure, testSummary())).toBe(drawFigure(figure, testSummary()))
  })

  it.each(kinds)('can be drawn for one seed, one point or a constant: %s', (_, figure) => {
    const constant = () => 0.5
    for (const created of [
      { seeds: 1 },
      { steps: 1 },
      { seeds: 1, steps: 1 },
      { reward: constant },
    ]) {
      expect(drawFigure(figure, testSummary(created))).not.toMatch(/NaN|Infinity|undefined/)
    }
    expect(textsOf(drawFigure(figure, testSummary({ seeds: 1 })))).toContain('One run.')
  })

  it.each(kinds)('has values of any size within its frame: %s', (_, figure) => {
    const scale = fc.double({ min: 1e-6, max: 1e9, noNaN: true })
    fc.assert(
      fc.property(scale, fc.boolean(), (by, negative) => {
        const sign = negative && figure.kind !== 'log-log' ? -1 : 1
        const reward = (step: number, method: number, seed: number) =>
          sign * by * (step + method + seed)
        const references = text.references.map((reference) => ({ ...reference, value: sign * by }))
        const svg = drawFigure({ ...figure, references }, testSummary({ reward, steps: 5 }))
        const places = geometryOf(svg)
        expect(places.length).toBeGreaterThan(8)
        for (const place of places) expect(place >= 0 && place <= 960).toBe(true)
      }),
      { numRuns: 5 },
    )
  })
})

/** Seeds 0, 1 and 2 have these rewards: a mean of 1, and an error of 1/√3. */
const bySeed = (_step: number, _method: number, seed: number) => seed
const errorBySeed = 1 / Math.sqrt(3)

/** Two references ten apart, by which a drawing can be measured. */
const ruler = [-4, 6].map((value) => ({ value, label: String(value), panel: 's' }))

function unitOf(svg: string, coordinate: 'x1' | 'y1'): number {
  const lines = parse(svg).querySelectorAll('[aria-label="rule"] [stroke-dasharray] line')
  const [one, other] = [...lines].map((line) => Number(line.getAttribute(coordinate)))
  return Math.abs(one! - other!) / 10
}

/** How high a path begins and ends. */
const ends = (path: string) =>
  [/^M[^,]+,([\d.]+)/, /,([\d.]+)Z?$/].map((place) => Number(path.match(place)![1]))

describe('curves', () => {
  it('have a band and a line for each method in each panel', () => {
    const svg = drawFigure(curves, testSummary())
    expect(paths(svg, 'area')).toHaveLength(4)
    expect(paths(svg, 'line')).toHaveLength(4)
    for (const band of paths(svg, 'area')) expect(band).toMatch(/^M[\d.,L]+Z$/)
  })

  it('have a band of ± one standard error', () => {
    const svg = drawFigure({ ...curves, references: ruler }, testSummary({ reward: bySeed }))
    const [upper, lower] = ends(paths(svg, 'area')[0]!)
    const [line] = ends(paths(svg, 'line')[0]!)
    const unit = unitOf(svg, 'y1')
    expect((lower! - line!) / unit).toBeCloseTo(errorBySeed, 2)
    expect((line! - upper!) / unit).toBeCloseTo(errorBySeed, 2)
  })

  it('show a base model in the hue of its REN, lighter and dashed', () => {
    const svg = drawFigure(curves, testSummary())
    const drawn = [...parse(svg).querySelectorAll('[aria-label="line"] > g')]
    const [base, ren] = [drawn[0]!, drawn[drawn.length - 1]!]
    expect(base.getAttribute('stroke-dasharray')).not.toBeNull()
    expect(ren.getAttribute('stroke-dasharray')).toBeNull()
    expect([base, ren].map((line) => line.getAttribute('stroke'))).toEqual(['#4d9cc9', '#0072b2'])
  })

  it('omit a method in panels where it did not run', () => {
    const { methods: all, ...rest } = testSummary()
    const some = all.filter(({ panel, method }) => panel === 's' || method === 'ren-g')
    expect(paths(drawFigure(curves, { ...rest, methods: some }), 'line')).toHaveLength(3)
  })

  it('of eight methods over thousands of steps are a small file', () => {
    const names = Array.from({ length: 8 }, (_, i) => `m${i}`)
    const summary = testSummary({ methods: names, steps: 3000 })
    const panels = [...text.panels, { name: 's', title: 'SYN-M' }]
    const many = names.map((name) => ({ name, label: name }))
    expect(drawFigure({ ...curves, panels, methods: many }, summary).length).toBeLessThan(150_000)
  })

  it('start at the first positive regret on logarithmic axes', () => {
    const summary = testSummary({ reward: (step) => Math.max(0, step - 3) })
    const counts = paths(drawFigure(regret, summary), 'line').map((path) => path.split('L').length)
    expect(counts).toEqual([37, 37, 37, 37, 40, 40])
  })
})

describe('bars', () => {
  it('have a dot with whiskers for each method in each panel, hollow for dashed methods', () => {
    const svg = drawFigure({ ...bars, references: ruler }, testSummary({ reward: bySeed }))
    const drawn = parse(svg)
    const whiskers = [...drawn.querySelectorAll('[aria-label="rule"] line[stroke]')]
    const dots = [...drawn.querySelectorAll('[aria-label="dot"] circle')]
    const hollow = dots.map((dot) => dot.getAttribute('fill') === '#ffffff')
    expect(hollow).toEqual([true, false, true, false])
    expect(whiskers).toHaveLength(4)
    for (const [i, whisker] of whiskers.entries()) {
      const [from, to] = ['x1', 'x2'].map((name) => Number(whisker.getAttribute(name)))
      expect((from! + to!) / 2).toBeCloseTo(Number(dots[i]!.getAttribute('cx')), 0)
      expect((to! - from!) / unitOf(svg, 'x1')).toBeCloseTo(4 * errorBySeed, 1)
    }
  })
})

describe('a sweep', () => {
  it('runs from the lowest setting to the highest, with one line and hue per panel', () => {
    const references = [{ panel: 'l', value: 1, label: 'base' }]
    const svg = drawFigure({ ...sweep, references }, testSummary())
    const starts = paths(svg, 'line').map((path) => path.match(/[\d.]+/g)!.map(Number))
    expect(starts).toHaveLength(2)
    for (const [from, , to] of starts) expect(from!).toBeLessThan(to!)
    expect(textsOf(svg)).toEqual(expect.arrayContaining(['0.001', '0.1', 'base']))
    const hues = [...parse(svg).querySelectorAll('[aria-label="line"] > g')]
    const label = [...parse(svg).querySelectorAll('[aria-label="text"] > g')]
    expect(label[0]!.getAttribute('fill')).toBe(hues[1]!.getAttribute('stroke'))
  })
})

describe('the method without the setting of a sweep', () => {
  it('is a level in each panel, dashed and in its hue', () => {
    const two = [
      { name: 'ren-g', value: 0.1 },
      { name: 'ren-g', value: 0.01 },
    ]
    const svg = drawFigure({ ...sweep, methods: two, baseline: 'gru4rec' }, testSummary())
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining(['SYN-S', 'SYN-L', 'SYN-S, gru4rec', 'SYN-L, gru4rec']),
    )
    const lines = [...parse(svg).querySelectorAll('[aria-label="line"] > g')]
    const dashed = lines.filter((line) => line.getAttribute('stroke-dasharray') !== null)
    expect(dashed).toHaveLength(2)
    expect(dashed.map((line) => line.getAttribute('stroke'))).toEqual(
      lines.slice(0, 2).map((line) => line.getAttribute('stroke')),
    )
    for (const path of paths(svg, 'line').slice(2)) {
      const [from, to] = ends(path)
      expect(from).toBe(to)
    }
  })
})

describe('a heat map', () => {
  const heat: HeatFigure = {
    kind: 'heat',
    title: 'Both weights',
    xLabel: 'columns',
    yLabel: 'rows',
    panels: text.panels,
    measure: 'finalReward',
    methods: [
      { name: 'a', value: 0, row: 0 },
      { name: 'b', value: 0.3, row: 0 },
      { name: 'c', value: 0, row: 1 },
    ],
  }
  const summary = (reward: (method: number) => number) =>
    testSummary({ methods: ['a', 'b', 'c'], reward: (_, method) => reward(method) })
  const cellsOf = (svg: string) => [...parse(svg).querySelectorAll('[aria-label="cell"] rect')]
  const placesOf = (svg: string, name: string) =>
    cellsOf(svg).map((cell) => Number(cell.getAttribute(name)))

  it('has a cell with its mean for each method in each panel, and the note', () => {
    const svg = drawFigure(
      heat,
      summary((method) => 0.5 + method / 10),
    )
    expect(cellsOf(svg)).toHaveLength(6)
    expect(textsOf(svg)).toEqual(
      expect.arrayContaining([
        'SYN-S',
        'SYN-L',
        'columns',
        'rows',
        '0.3',
        '0.500',
        '0.600',
        '0.700',
      ]),
    )
    expect(textsOf(svg)).toContain('Mean of 3 runs; the largest standard error is 0.000.')
  })

  it('has columns from left to right and rows from bottom to top', () => {
    const svg = drawFigure(
      { ...heat, panels: [text.panels[0]!] },
      summary(() => 1),
    )
    const [a, b, c] = placesOf(svg, 'x')
    const [below, beside, above] = placesOf(svg, 'y')
    expect([a! < b!, a === c]).toEqual([true, true])
    expect([below === beside, above! < below!]).toEqual([true, true])
  })

  it('has equal colors only for equal values, in all panels', () => {
    const fillsOf = (reward: (method: number) => number) =>
      new Set(cellsOf(drawFigure(heat, summary(reward))).map((cell) => cell.getAttribute('fill')))
    expect(fillsOf(() => 0.5).size).toBe(1)
    expect(fillsOf((method) => method).size).toBe(3)
    expect([...fillsOf(() => 0.5)].join('')).not.toMatch(/NaN|undefined/)
  })
})

describe('the titles of narrow panels', () => {
  it('are broken into lines within their panel', () => {
    const panels = ['s', 'l', 's2', 'l2', 's3'].map((name) => ({
      name,
      title: 'rewards of 0 or 1 at random in the small world',
    }))
    const { methods: runs, ...rest } = testSummary()
    const everywhere = panels.flatMap(({ name }) => runs.map((run) => ({ ...run, panel: name })))
    const svg = drawFigure({ ...bars, panels }, { ...rest, methods: everywhere })
    const lines = [...parse(svg).querySelectorAll('[aria-label="fx-axis tick label"] tspan')]
    expect(lines.length).toBeGreaterThanOrEqual(10)
    for (const { textContent } of lines) expect(textWidth(textContent, 13)).toBeLessThan(960 / 5)
  })
})

describe('the label of the vertical axis', () => {
  it.each([1, 0.01, -4e-4, 2e-5, -3e4])('does not overlap the ticks, for values of %d', (by) => {
    const reward = (step: number, method: number) => by * (method + step / 50)
    const svg = parse(drawFigure({ ...sweep, references: [] }, testSummary({ reward })))
    const leftOfAxis = (what: string) =>
      -Number(
        /[-\d.]+/.exec(svg.querySelector(`[aria-label="${what}"]`)!.getAttribute('transform')!)![0],
      )
    const ticks = [...svg.querySelectorAll('[aria-label="y-axis tick label"] text')]
    const letters = ticks
      .map(({ textContent }) => textContent)
      .toSorted((a, b) => b.length - a.length)
    // The label is turned and takes its height to the right; the letters of ticks end at theirs.
    expect(leftOfAxis('y-axis label') - fontSize).toBeGreaterThan(
      leftOfAxis('y-axis tick label') + textWidth(letters[0]!),
    )
  })
})

describe('a figure is refused', () => {
  const many = Array.from({ length: 9 }, (_, i) => ({ name: 'ren-g', label: 'm', family: `${i}` }))
  const reference = { value: 1, label: 'Oracle' }

  it.each<[string, FigureSpec, Summary, string, RegExp]>([
    [
      'a method without runs',
      { ...bars, methods: [{ name: 'lin-ucb', label: 'LinUCB' }] },
      testSummary(),
      'invalid-argument',
      /must be one of test \(gru4rec, ren-g\), got lin-ucb/,
    ],
    [
      'an unknown series',
      { ...curves, series: 'clicks' },
      testSummary(),
      'invalid-argument',
      /gru4rec in s \(reward, bound\), got clicks/,
    ],
    [
      'no panels',
      { ...curves, panels: [] },
      testSummary(),
      'invalid-argument',
      /at least one panel/,
    ],
    [
      'no methods',
      { ...bars, methods: [] },
      testSummary(),
      'invalid-argument',
      /at least one method/,
    ],
    [
      'more hues than can be distinguished',
      { ...curves, methods: many },
      testSummary(),
      'invalid-argument',
      /at most 8 distinguishable hues, got 9/,
    ],
    [
      'a reference in an unknown panel',
      { ...curves, references: [{ ...reference, panel: 'm' }] },
      testSummary(),
      'invalid-argument',
      /panel of the figure for the reference Oracle, got m/,
    ],
    [
      'a reference off a logarithmic axis',
      { ...regret, references: [{ ...reference, value: 0 }] },
      testSummary(),
      'invalid-argument',
      /value on the axis/,
    ],
    [
      'a setting of 0',
      { ...sweep, methods: [{ name: 'ren-g', value: 0 }] },
      testSummary(),
      'invalid-argument',
      /above 0 for ren-g, got 0/,
    ],
    [
      'references in a heat map',
      {
        ...text,
        kind: 'heat',
        measure: 'finalReward',
        methods: [{ name: 'ren-g', value: 0, row: 0 }],
      },
      testSummary(),
      'invalid-argument',
      /no references in a heat map, got 1/,
    ],
    [
      'no positive values on logarithmic axes',
      { ...curves, kind: 'log-log' },
      testSummary({ reward: () => 0 }),
      'invalid-argument',
      /values to draw/,
    ],
  ])('for %s', (_, figure, summary, code, message) => {
    const attempt = () => drawFigure(figure, summary)
    expect(attempt).toThrow(RenError)
    expect(attempt).toThrow(expect.objectContaining({ code }))
    expect(attempt).toThrow(message)
  })
})
