// Which models are being taught just now, and what came of the last time.

import { useState } from 'preact/hooks'

import type { TrainOutcome } from '../../service/index.ts'
import { useStreamEvents } from '../api/use-stream.ts'

export interface Training {
  /** By group, how far it is. */
  readonly running: ReadonlyMap<string, number>
  readonly last: TrainOutcome | null
}

export function useTraining(): Training {
  const [training, setTraining] = useState<Training>({ running: new Map(), last: null })
  const without = ({ running }: Training, group: string): [string, number][] =>
    [...running].filter(([other]) => other !== group)
  useStreamEvents('training', ({ group, share, run }) => {
    // Full training runs have a status of their own.
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
