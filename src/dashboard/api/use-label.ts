// The title and the image of an item in a component.

import { useLayoutEffect, useState } from 'preact/hooks'

import { api } from './client.ts'
import { createLabelCache } from './labels.ts'
import type { Label } from './labels.ts'

const cache = createLabelCache(api.labels)

export function useLabel(item: string): Label {
  const [, setRound] = useState(0)
  // Before the browser paints, so that all items of a view are requested together.
  useLayoutEffect(() => cache.watch(item, () => setRound((round) => round + 1)), [item])
  return cache.get(item)
}
