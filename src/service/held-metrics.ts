// Live figures that wait for the past: what is measured while it is still being read is held back,
// and comes after it.

import type { LiveMetrics } from './live-metrics.ts'

export interface HeldMetrics extends LiveMetrics {
  /** What came before all that is held is measured here, while anything is held. */
  readonly past: Pick<LiveMetrics, 'served' | 'feedback'>
  readonly isHeld: boolean
  /** What was held is measured now, and what comes is measured at once. */
  release(): void
}

/** Beyond so much, what came before matters no more: then it is released. */
const maxHeld = 20_000

export function holdMetrics(metrics: LiveMetrics, most: number = maxHeld): HeldMetrics {
  let held: (() => void)[] | null = []

  function hold(measure: () => void): void {
    if (held === null) return measure()
    if (held.push(measure) > most) release()
  }

  function release(): void {
    const waiting = held ?? []
    held = null
    for (const measure of waiting) measure()
  }

  return {
    past: metrics,
    get isHeld() {
      return held !== null
    },
    release,
    served: (slate) => hold(() => metrics.served(slate)),
    feedback: (feedback) => hold(() => metrics.feedback(feedback)),
    eraseUser(user) {
      metrics.eraseUser(user)
      // Once more after what is held of them.
      if (held !== null) hold(() => metrics.eraseUser(user))
    },
    figures: metrics.figures,
    earnings: metrics.earnings,
  }
}
