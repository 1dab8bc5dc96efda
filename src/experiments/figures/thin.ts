// Fewer points where a panel has fewer pixels: thousands of steps would make files of megabytes.

import type { ScaleType } from './chart.ts'

const most = 110

/** The points that are at least a stride apart on the axis, the last one always. */
export function thin<T extends { readonly x: number }>(points: readonly T[], type: ScaleType): T[] {
  const place = type === 'log' ? Math.log : Number
  const last = points.at(-1)
  if (!last || points.length <= most) return [...points]
  const stride = (place(last.x) - place(points[0]!.x)) / most
  let next = -Infinity
  return points.filter((point) => {
    const isSelected = place(point.x) >= next || point === last
    if (isSelected) next = place(point.x) + stride
    return isSelected
  })
}
