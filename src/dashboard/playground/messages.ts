// Messages between the page and the worker of the playground.

import type { RaceSetup, MethodResult } from './race.ts'

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
      readonly results: readonly MethodResult[]
      /** Rounds of all methods and seeds per second of simulation. */
      readonly stepsPerSecond: number
      /** Which kernels the browser runs. */
      readonly kernel: string
    }
  /** No round runs until the race is resumed. */
  | { readonly kind: 'paused' }
  | { readonly kind: 'failed'; readonly message: string }
