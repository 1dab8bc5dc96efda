// Which models are being trained, and the outcome of the last update.

import { useState } from 'preact/hooks'

import type { TrainOutcome } from '../../service/index.ts'
import { useStreamEvents } from '../api/use-stream.ts'

export interface Training {
  /** Progress by model group. */
  readonly running: ReadonlyMap<string, number>
  readonly last: TrainOutcome | null
}

export function useTraining(): Training {
  const [training, setTraining] = useState<Training>({ running: new Map(), last: null })
  const without = ({ running }: Training, group: string): [string, number][] =>
    [...running].filter(([other]) => other !== group)
  useStreamEvents('training', ({ group, share, run }) => {
    // Full training runs have their own status.
    if (run !== undefined) return
    setTraining((before) => ({
      ...before,
      running: new Map([
        ...without(before, group),
        ...(share < 1 ? [[group, share] as const] : []),
      ]),
    }))
  })
  useStreamEvents('learning', ({ group, outcome }) =>
    setTraining((before) => ({ running: new Map(without(before, group)), last: outcome })),
  )
  return training
}
