// Marks above the points: the items of a slate and of a history, the user embedding,
// and the selected point. Each kind has its own shape.

import type { ItemMap } from '../../service/index.ts'
import { resolveColor } from '../palette.ts'
import { toPixels, type Place, type Projection, type Size } from './projection.ts'

type MarkKind = 'history' | 'slate' | 'taste' | 'focus'

export interface Mark {
  readonly kind: MarkKind
  readonly x: number
  readonly y: number
  /** Text inside the mark. */
  readonly label?: string
}

interface Marked {
  readonly slate: readonly { readonly item: string }[]
  readonly taste: ItemMap['user']
  readonly history: readonly { readonly item: string }[]
  readonly focus: string | null
}

/** The most important marks come last and are painted on top. */
export function marksOf(
  { x, y }: Pick<ItemMap, 'x' | 'y'>,
  placeOf: ReadonlyMap<string, number>,
  { history, slate, taste, focus }: Marked,
): readonly Mark[] {
  const mark = (kind: MarkKind, item: string, label = ''): readonly Mark[] => {
    const i = placeOf.get(item)
    return i === undefined ? [] : [{ kind, x: x[i]!, y: y[i]!, label }]
  }
  return [
    ...history.flatMap(({ item }) => mark('history', item)),
    ...slate.flatMap(({ item }, i) => mark('slate', item, String(i + 1))).toReversed(),
    ...(taste ? [{ kind: 'taste' as const, ...taste }] : []),
    ...(focus === null ? [] : mark('focus', focus)),
  ]
}

export function readMarkColors() {
  const text = resolveColor('var(--text)')
  const taste = resolveColor('var(--map-taste)')
  return { history: text, slate: text, taste, focus: text, ground: resolveColor('var(--panel)') }
}

type MarkColors = ReturnType<typeof readMarkColors>

export function drawMarks(
  context: CanvasRenderingContext2D,
  marks: readonly Mark[],
  projection: Projection,
  size: Size,
  colors: MarkColors,
): void {
  context.save()
  context.font = '600 10px system-ui, sans-serif'
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  for (const mark of marks) {
    const at = toPixels(projection, mark)
    context.fillStyle = colors[mark.kind]
    shapes[mark.kind](context, mark.kind === 'taste' ? clampToEdge(at, size) : at, mark, colors)
  }
  context.restore()
}

/** A user embedding far from all items is shown at the edge, in its direction. */
function clampToEdge({ left, top }: Place, { width, height }: Size): Place {
  const room = 14
  const [right, down] = [left - width / 2, top - height / 2]
  const share = Math.min(
    1,
    (width / 2 - room) / Math.abs(right || 1e-9),
    (height / 2 - room) / Math.abs(down || 1e-9),
  )
  return { left: width / 2 + share * right, top: height / 2 + share * down }
}

type Shape = (context: CanvasRenderingContext2D, at: Place, mark: Mark, colors: MarkColors) => void

const shapes: Readonly<Record<MarkKind, Shape>> = {
  history(context, at, _, { ground, history }) {
    ring(context, at, 11, ground, 5)
    ring(context, at, 11, history, 2)
  },
  slate(context, at, { label = '' }, { ground }) {
    ring(context, at, 8, ground, 2)
    context.fill()
    context.fillStyle = ground
    context.fillText(label, at.left, at.top + 0.5)
  },
  taste(context, { left, top }, _, { ground }) {
    context.beginPath()
    context.moveTo(left, top - 13)
    context.lineTo(left + 13, top)
    context.lineTo(left, top + 13)
    context.lineTo(left - 13, top)
    context.closePath()
    context.fill()
    context.strokeStyle = ground
    context.lineWidth = 1.5
    context.stroke()
    context.fillStyle = ground
    context.fillText('θ', left, top + 0.5)
  },
  focus(context, at, _, { ground, focus }) {
    ring(context, at, 16, ground, 6)
    ring(context, at, 16, focus, 3)
  },
}

function ring(
  context: CanvasRenderingContext2D,
  { left, top }: Place,
  radius: number,
  stroke: string,
  width: number,
): void {
  context.beginPath()
  context.arc(left, top, radius, 0, 2 * Math.PI)
  context.strokeStyle = stroke
  context.lineWidth = width
  context.stroke()
}
