// Lines between two slates, from each item to itself.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Tie {
  readonly item: string
  readonly from: number
  readonly to: number
}

interface TiesProps {
  readonly left: readonly string[]
  readonly right: readonly string[]
  readonly pointed: string | null
}

/** Placed between the two lists, in a positioned element around all three. */
export function Ties({ left, right, pointed }: TiesProps) {
  const place = useRef<SVGSVGElement>(null)
  const [ties, setTies] = useState<readonly Tie[]>([])
  const measure = (): void => {
    const found = tiesAround(place.current!)
    setTies((before) => (JSON.stringify(before) === JSON.stringify(found) ? before : found))
  }
  useLayoutEffect(measure, [left, right])
  useEffect(() => {
    const watch = new ResizeObserver(measure)
    for (const list of listsAround(place.current!)) watch.observe(list)
    return () => watch.disconnect()
  }, [])
  return (
    <div class="why-ties" aria-hidden="true">
      <svg ref={place}>
        {ties.map(({ item, from, to }) => (
          <path
            key={item}
            class={item === pointed ? 'pointed' : ''}
            d={`M0 ${from}C32 ${from} 32 ${to} 64 ${to}`}
          />
        ))}
      </svg>
    </div>
  )
}

const listsAround = (place: SVGSVGElement): HTMLElement[] => [
  ...place.closest('.why-slates')!.querySelectorAll<HTMLElement>('.why-slate'),
]

function tiesAround(place: SVGSVGElement): readonly Tie[] {
  const [left, right] = listsAround(place).map(middlesOf)
  // Both are relative to the top of the surrounding element, as is the drawing.
  return [...(left ?? [])].flatMap(([item, from]) => {
    const to = right?.get(item)
    return to === undefined ? [] : [{ item, from, to }]
  })
}

/** The positions of the item names. */
const middlesOf = (list: HTMLElement): ReadonlyMap<string, number> =>
  new Map(
    ([...list.children] as HTMLElement[]).map((child) => [
      child.dataset['item']!,
      child.offsetTop + 22,
    ]),
  )
