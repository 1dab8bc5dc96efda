// What the page and the worker of the playground say to each other.

import type { RaceSetup, Standing } from './race.ts'

export type ToWorker =
  | { readonly kind: 'start'; readonly setup: RaceSetup }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }

export type FromWorker =
  | {
      readonly kind: 'progress'
      readonly played: number
      readonly isOver: boolean
      readonly at: readonly number[]
      readonly standings: readonly Standing[]
      /** Rounds of all methods and seeds together, over the time spent playing. */
      readonly stepsPerSecond: number
      /** Which kernels the browser runs. */
      readonly kernel: string
    }
  /** No round is played until it is told to go on. */
  | { readonly kind: 'paused' }
  | { readonly kind: 'failed'; readonly message: string }
