// Titles and images of items, by id. What components show in one moment is requested together.

import { useLayoutEffect, useState } from 'preact/hooks'

import type { ItemLabel } from '../../service/index.ts'
import { api } from './client.ts'

type Label = Omit<ItemLabel, 'item'>

/** `time` is when the label was requested, in milliseconds. */
type Entry = Readonly<{ label: Label; time: number }>

const none: Label = { title: null, image: null }
/** The limit of the service per request. */
const maxItems = 1000
/** A catalog changes rarely. */
const maxAgeMs = 60_000

export function createLabelCache(lookup: typeof api.labels, now: () => number = Date.now) {
  const entries = new Map<string, Entry>()
  /** Dispatches an event with the id of each item whose label arrives. */
  const arrivals = new EventTarget()
  const wanted = new Set<string>()

  async function fetchLabels(items: readonly string[]): Promise<void> {
    try {
      const { labels } = await lookup(items)
      for (const { item, title, image } of labels) {
        entries.set(item, { label: { title, image }, time: now() })
        arrivals.dispatchEvent(new Event(item))
      }
    } catch {
      // The id is shown meanwhile; the next component that shows the item requests the label again.
      for (const item of items) entries.delete(item)
    }
  }
  function flush(): void {
    const all = [...wanted]
    wanted.clear()
    for (let i = 0; i < all.length; i += maxItems) void fetchLabels(all.slice(i, i + maxItems))
  }
  function request(item: string): void {
    const entry = entries.get(item)
    if (entry && now() - entry.time < maxAgeMs) return
    entries.set(item, { label: entry?.label ?? none, time: now() })
    if (wanted.size === 0) queueMicrotask(flush)
    wanted.add(item)
  }
  return {
    get: (item: string): Label => entries.get(item)?.label ?? none,
    /** Requests a missing or old label, and calls the listener when it arrives. Returns how to stop. */
    watch(item: string, listener: () => void): () => void {
      request(item)
      arrivals.addEventListener(item, listener)
      return () => arrivals.removeEventListener(item, listener)
    },
  }
}

const cache = createLabelCache(api.labels)

export function useLabel(item: string): Label {
  const [, setRound] = useState(0)
  // Before the browser paints, so that all items of a view are requested together.
  useLayoutEffect(() => cache.watch(item, () => setRound((round) => round + 1)), [item])
  return cache.get(item)
}
