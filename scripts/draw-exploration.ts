// Draws docs/images/exploration.svg: the diversity bonus of REN in two dimensions, and its effect on a
// slate. The policies compute every number in the figure.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from '../src/core/random.ts'
import { createPolicy, createRenPolicy } from '../src/exploration/index.ts'
import type { Decision, ScoredItem } from '../src/exploration/index.ts'
import { bonus, createEngine, whiteningOf } from '../src/kernels/index.ts'
import type { Engine, Tensor } from '../src/kernels/index.ts'
import { checkout } from './checkout.ts'

export const picture = join('docs', 'images', 'exploration.svg')

type Point = readonly [x: number, y: number]

const names = ['a', 'b', 'c', 'd', 'e']
const candidates: readonly Point[] = [
  [0.95, 0.3],
  [0.64, -0.12],
  [0.34, 0.92],
  [-0.22, 0.66],
  [0.48, -0.62],
]
const visits: readonly Point[] = [
  [0.84, 0.14],
  [0.7, 0.36],
  [0.9, 0.46],
  [0.72, 0.22],
  [0.58, 0.24],
]
const table = [...candidates, ...visits]
const theta: Point = [0.5, 0.2]
export const weights = { diversityWeight: 1, uncertaintyWeight: 0 }

/** One panel: the user's history, and the picks of both policies. */
export interface Scene {
  readonly title: string
  readonly note: string
  readonly visited: readonly number[]
  /** All candidates with the terms of their scores, best first by REN's score. */
  readonly ranking: readonly ScoredItem[]
  readonly greedy: number
}

/** Before any visit, after five visits, and after REN's pick has joined them. */
export function createScenes(engine: Engine): readonly Scene[] {
  const [greedy, ren] = [createPolicy(engine, 'greedy'), createRenPolicy(engine, { weights })]
  const items = createItems(engine)
  const look = (title: string, note: string, visited: readonly number[]): Scene => {
    const decision = decisionOf(items, visited)
    const ranking = ren.choose(decision, names.length).items
    return { title, note, visited, ranking, greedy: greedy.choose(decision, 1).items[0]!.item }
  }
  const five = visits.map((_, i) => candidates.length + i)
  const first = look('Before any visit', 'the bonus is ‖x‖, alike in every direction', [])
  const second = look('After five visits', 'little is left of it where the user has been', five)
  const pick = second.ranking[0]!.item
  const third = look(`After ${names[pick]} is picked`, 'the next slot of a sequential slate', [
    ...five,
    pick,
  ])
  return [first, second, third]
}

/** The embeddings of all items. */
export function createItems(engine: Engine): Tensor {
  const items = engine.matrix('items', table.length, 2)
  items.values.set(table.flat())
  return items
}

/** A decision for a user with embedding θ, among the items that the user has not chosen yet. */
export function decisionOf(items: Tensor, visited: readonly number[]): Decision {
  const none = new Float32Array(items.rows)
  return {
    items,
    itemsVersion: 1,
    userEmbedding: Float32Array.from(theta),
    visited: Int32Array.from(visited),
    rewards: new Float32Array(visited.length).fill(1),
    uncertainty: none,
    impressions: none,
    interactions: none,
    candidates: Int32Array.from(candidates.keys()),
    excluded: Int32Array.from(visited),
    random: createRandom('picture'),
  }
}

// Sizes in user units. The plane shows −reach … reach in both dimensions.
const [side, gap, margin, reach] = [300, 30, 30, 1.16]
const [planeTop, barsTop, barHeight, perScore] = [138, 476, 25, 106]
const width = 2 * margin + 3 * side + 2 * gap
const height = 642
const levels = [1.25, 1, 0.75, 0.5, 0.25]
const half = side / 2
const scale = half / reach

const css = `
  text { font: 14px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif }
  .card { fill: #ffffff; stroke: #d9dee4 } .ink { fill: #1f2933 } .quiet { fill: #5b6773 }
  .head { font-size: 17px; font-weight: 600 } .small { font-size: 12.5px } .bold { font-weight: 600 }
  .band5 { fill: #8fbbe6 } .band4 { fill: #a6c9ec } .band3 { fill: #bdd7f1 }
  .band2 { fill: #d3e4f6 } .band1 { fill: #e6f0fa } .band0 { fill: #f6fafd }
  .line { fill: none; stroke: #6d9cc9; stroke-opacity: .55 } .level { fill: #33638f; font-size: 11.5px; stroke: #d9e8f7; stroke-width: 3; paint-order: stroke }
  .axis { stroke: #5b6773; stroke-opacity: .22 } .frame { fill: none; stroke: #9db4ca }
  .visit { fill: #ffffff; stroke: #47535f; stroke-width: 1.4 } .item { fill: #1f2933 }
  .theta { stroke: #b4610a; stroke-width: 2.4; fill: none } .thetaFill { fill: #b4610a }
  .relevance { fill: #d98a35 } .bonus { fill: #4f93d1 }
  .greedyText { fill: #9a4f00; font-weight: 600 } .renText { fill: #1d5c97; font-weight: 600 }
  .greedyRing { fill: none; stroke: #b4610a; stroke-width: 2.4; stroke-dasharray: 4 3 }
  .renRing { fill: none; stroke: #1d5c97; stroke-width: 2.6 }
  @media (prefers-color-scheme: dark) {
    .card { fill: #12171d; stroke: #2d3742 } .ink { fill: #e6ebf0 } .quiet { fill: #9fabb7 }
    .band5 { fill: #2f6498 } .band4 { fill: #28547f } .band3 { fill: #214467 }
    .band2 { fill: #1b3650 } .band1 { fill: #16293b } .band0 { fill: #131e29 }
    .line { stroke: #79aee0; stroke-opacity: .4 } .level { fill: #a9cdf0; stroke: #1d3a57 }
    .axis { stroke: #9fabb7 } .frame { stroke: #3c5773 }
    .visit { fill: #12171d; stroke: #c3ccd5 } .item { fill: #f2f5f8 }
    .theta { stroke: #f0a04b } .thetaFill { fill: #f0a04b }
    .greedyText { fill: #f0a858 } .renText { fill: #8fc3f5 }
    .greedyRing { stroke: #f0a04b } .renRing { stroke: #9fd0ff }
  }`

/** The figure as SVG. */
export function drawExploration(scenes: readonly Scene[]): string {
  const [id, label] = ['exploration', 'How the diversity bonus falls where a user has been']
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc">
<title id="${id}-title">${label}</title>
<desc id="${id}-desc">${describe(scenes)}</desc>
<style>${css}
</style>
<defs>
<marker id="head" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="5" markerHeight="5" orient="auto"><path class="thetaFill" d="M0 0 L10 5 L0 10 z"/></marker>
<clipPath id="plane"><rect width="${side}" height="${side}" rx="6"/></clipPath>
</defs>
<rect class="card" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="12"/>
${text(margin, 42, 'ink head', label)}
${text(margin, 64, 'quiet', 'Shade and contours: √(xᵀA⁻¹x) over embeddings of two dimensions. Greedy takes the longest orange part, REN the longest bar.')}
${scenes.map((scene, i) => drawScene(scene, margin + i * (side + gap))).join('\n')}
${drawLegend(height - 24)}
</svg>
`
}

function describe(scenes: readonly Scene[]): string {
  const sentences = scenes.map(({ title, greedy, ranking }) => {
    const best = ranking[0]!
    return `${title}, greedy picks ${names[greedy]} and REN picks ${names[best.item]}`
  })
  return `Three planes of item embeddings with contours of the diversity bonus: ${sentences.join('; ')}. Below each plane, bars add relevance and bonus of every candidate.`
}

function drawScene(scene: Scene, x: number): string {
  const w = whiteningOf(
    2,
    scene.visited.map((item) => table[item]!),
  )
  return `<g transform="translate(${x} 0)">
${text(0, 110, 'ink bold', scene.title)}
${text(0, 127, 'quiet small', scene.note)}
<g transform="translate(0 ${planeTop})">
<g clip-path="url(#plane)">
${drawBands(w)}
${drawItems(scene)}
</g>
<rect class="frame" width="${side}" height="${side}" rx="6"/>
</g>
${drawBars(scene)}
</g>`
}

/** The points with bonus c are the circle of radius c, transformed by L = W⁻¹. */
function drawBands(w: Float64Array): string {
  const [w11, w21, w22] = [w[0]!, w[2]!, w[3]!]
  const [l11, l21, l22] = [1 / w11, -w21 / (w11 * w22), 1 / w22]
  const shear = [l11, -l21, 0, l22].map((value) => value.toFixed(4)).join(' ') // y points down
  const circles = levels.map((level, i) => {
    const circle = `r="${round(level * scale)}" transform="translate(${half} ${half}) matrix(${shear} 0 0)"`
    return `<circle class="band${levels.length - 1 - i}" ${circle}/><circle class="line" ${circle} vector-effect="non-scaling-stroke"/>`
  })
  const axes = `<path class="axis" d="M0 ${half} H${side} M${half} 0 V${side}"/>`
  const ground = `<rect class="band${levels.length}" width="${side}" height="${side}"/>`
  return [ground, ...circles, axes, ...drawLevels(w)].join('\n')
}

/** The bonus grows linearly along a direction, which gives the point of each level. */
function drawLevels(w: Float64Array): string[] {
  const [x, y]: Point = [-0.36, -0.93]
  return levels.flatMap((level) => {
    const along = level / bonus(2, w, [x, y])
    const [left, top] = place([x * along, y * along])
    return top > side - 12 ? [] : [text(left, top + 4, 'level', String(level), 'middle')]
  })
}

function drawItems({ visited, ranking, greedy }: Scene): string {
  const [tipX, tipY] = place(theta)
  const dot = (item: number, className: string, radius: number): string => {
    const [x, y] = place(table[item]!)
    return `<circle class="${className}" cx="${x}" cy="${y}" r="${radius}"/>`
  }
  const label = (item: number, className: string): string => {
    const [x, y] = place(table[item]!)
    return text(x + 12, y - 11, className, names[item] ?? '')
  }
  const best = ranking[0]!.item
  return [
    `<path class="theta" d="M${half} ${half} L${tipX} ${tipY}" marker-end="url(#head)"/>`,
    text(tipX - 40, tipY + 1, 'greedyText', 'θ'),
    ...visited.map((item) => dot(item, 'visit', 4.2) + label(item, 'quiet')),
    ...ranking.map(({ item }) => dot(item, 'item', 4.6) + label(item, 'ink bold')),
    dot(greedy, 'greedyRing', 9.5),
    dot(best, 'renRing', 13.5),
  ].join('\n')
}

function drawBars({ ranking, greedy }: Scene): string {
  const best = ranking[0]!.item
  return names
    .map((name, item) => {
      const y = barsTop + item * barHeight
      const found = ranking.find((scored) => scored.item === item)
      if (!found) return text(0, y, 'quiet', name) + text(18, y, 'quiet small', 'picked')
      const relevance = round(found.relevance * perScore)
      const diversity = round(weights.diversityWeight * found.diversity * perScore)
      const tags = [
        item === greedy ? '<tspan class="greedyText">greedy</tspan>' : '',
        item === best ? '<tspan class="renText">REN</tspan>' : '',
      ].filter((tag) => tag !== '')
      const end = 18 + relevance + diversity + 8
      return [
        text(0, y, 'ink bold', name),
        `<rect class="relevance" x="18" y="${y - 11}" width="${relevance}" height="13"/>`,
        `<rect class="bonus" x="${round(18 + relevance)}" y="${y - 11}" width="${diversity}" height="13"/>`,
        text(end, y, 'quiet small', [found.score.toFixed(2), ...tags].join(' ')),
      ].join('')
    })
    .join('\n')
}

function drawLegend(y: number): string {
  const box = (x: number, className: string): string =>
    `<rect class="${className}" x="${x}" y="${y - 11}" width="13" height="13"/>`
  const dot = (x: number, className: string, r: number): string =>
    `<circle class="${className}" cx="${x}" cy="${y - 4.5}" r="${r}"/>`
  return [
    box(margin, 'relevance') + text(margin + 20, y, 'quiet', 'relevance xᵀθ'),
    box(165, 'bonus') + text(185, y, 'quiet', 'λ × bonus, with λ = 1'),
    dot(362, 'visit', 4.2) + text(374, y, 'quiet', 'visited'),
    dot(456, 'item', 4.6) + text(469, y, 'quiet', 'may be picked'),
    dot(606, 'greedyRing', 8) + text(622, y, 'quiet', 'picked by greedy'),
    dot(770, 'renRing', 8) + text(786, y, 'quiet', 'picked by REN'),
  ].join('\n')
}

/** Maps the plane of embeddings to the figure. */
function place([x, y]: Point): Point {
  return [round(half + x * scale), round(half - y * scale)]
}

function text(x: number, y: number, className: string, content: string, anchor?: 'middle'): string {
  if (content === '') return ''
  const align = anchor ? ` text-anchor="${anchor}"` : ''
  return `<text class="${className}" x="${round(x)}" y="${round(y)}"${align}>${content}</text>`
}

const round = (value: number): number => Math.round(value * 10) / 10

if (import.meta.main) {
  const engine = await createEngine()
  writeFileSync(join(checkout, picture), drawExploration(createScenes(engine)))
}
