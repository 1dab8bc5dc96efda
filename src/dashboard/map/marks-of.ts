// Selects the marks on the map.

import type { ItemMap } from '../../service/index.ts'
import type { Mark, MarkKind } from './marks.ts'

export interface Marked {
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
