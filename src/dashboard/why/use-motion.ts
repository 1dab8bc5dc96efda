// Animates items that move in a list, and fades in new ones, unless the user prefers reduced
// motion.

import { useLayoutEffect, useRef } from 'preact/hooks'
import type { RefObject } from 'preact'

/** Children are identified by their data-item attribute. */
export function useMotion(list: RefObject<HTMLElement | null>): void {
  const before = useRef<ReadonlyMap<string, number> | null>(null)
  useLayoutEffect(() => {
    const children = [...(list.current?.children ?? [])] as HTMLElement[]
    const tops = new Map(children.map((child) => [child.dataset['item']!, child.offsetTop]))
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
    const old = before.current
    before.current = tops
    if (old === null || isCalm) return
    for (const child of children) {
      const [from, to] = [old.get(child.dataset['item']!), child.offsetTop]
      if (from === to) continue
      const start =
        from === undefined ? { opacity: 0.2 } : { transform: `translateY(${from - to}px)` }
      child.animate([start, {}], { duration: 240, easing: 'ease-out' })
    }
  })
}
