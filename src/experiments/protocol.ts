// The seam of the experiments: a protocol does one run; everything around it (seeds, workers, rows,
// summaries, figures) is the same for all of them.

import type { RunRow } from './row.ts'

/** One run: a method in a panel with a seed. JSON through and through, so that a worker can do it. */
export interface RunJob {
  readonly protocol: string
  readonly panel: string
  /** What the run is called in rows and figures. */
  readonly label: string
  /** What it is: an alias of the paper, or model+policy. */
  readonly method: string
  readonly settings: Settings
  readonly world: Settings
  readonly seed: number
  /** The folder of data sets. */
  readonly data?: string
}

export type Settings = Readonly<Record<string, string | number | boolean>>

export interface Protocol {
  /** Refuses settings that it does not know, before anything has run. */
  check(job: RunJob): void | Promise<void>
  /** Calls `progress` with the share that is done, from 0 to 1. */
  run(job: RunJob, progress: (share: number) => void): Promise<RunRow>
}
