// Marks above the points: the items of a slate and of a history, the user embedding,
// and the selected point. Each kind has its own shape, in map.css.

import type { ItemMap } from '../../service/index.ts'
import type { Points, Size } from './projection.ts'

interface Mark {
  readonly kind: 'history' | 'slate' | 'taste' | 'focus'
  readonly x: number
  readonly y: number
  /** Text inside the mark. */
  readonly label?: string
}

export type Marks = readonly Mark[]

interface Marked {
  readonly slate: readonly { readonly item: string }[]
  readonly taste: ItemMap['user']
  readonly history: readonly { readonly item: string }[]
  readonly focus: string | null
}

/** The most important marks come last and are painted on top. */
export function marksOf(
  { x, y }: Points,
  placeOf: ReadonlyMap<string, number>,
  { history, slate, taste, focus }: Marked,
): Marks {
  const mark = (kind: Mark['kind'], item: string, label = ''): Marks => {
    const i = placeOf.get(item)
    return i === undefined ? [] : [{ kind, x: x[i]!, y: y[i]!, label }]
  }
  return [
    ...history.flatMap(({ item }) => mark('history', item)),
    ...slate.flatMap(({ item }, i) => mark('slate', item, String(i + 1))).toReversed(),
    ...(taste ? [{ kind: 'taste' as const, x: taste.x, y: -taste.y }] : []),
    ...(focus === null ? [] : mark('focus', focus)),
  ]
}

interface MarkProps {
  readonly kind: Mark['kind']
  readonly label?: string | undefined
  /** Defaults to its place in the text. */
  readonly at?: Readonly<{ left: string; top: string }>
}

export const MarkSign = ({ kind, label, at }: MarkProps) => (
  <i class={`map-mark ${kind}`} aria-hidden="true" {...(at && { style: at })}>
    {kind === 'taste' ? <b>θ</b> : label}
  </i>
)

/** A user embedding far from all items is shown at the edge, in its direction. */
export function clampToEdge([x, y]: [number, number], { width, height }: Size): [number, number] {
  const margin = 14
  const [right, down] = [x - width / 2, y - height / 2]
  const share = Math.min(
    1,
    (width / 2 - margin) / Math.abs(right || 1e-9),
    (height / 2 - margin) / Math.abs(down || 1e-9),
  )
  return [width / 2 + share * right, height / 2 + share * down]
}
