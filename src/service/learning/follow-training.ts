// How far updates are: each that was begun is said to have ended, whatever it came to.

import type { Training } from './calls.ts'

export interface FollowedTraining {
  /** An update begins or goes on. */
  readonly report: (training: Training) => void
  /** Nothing is said of one that had nothing to learn, and so was never begun. */
  ended(group: string): void
}

export function followTraining(tell: (training: Training) => void): FollowedTraining {
  const begun = new Set<string>()
  return {
    report(training) {
      begun.add(training.group)
      tell(training)
    },
    ended(group) {
      if (begun.delete(group)) tell({ group, share: 1 })
    },
  }
}
