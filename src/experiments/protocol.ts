// The contract of the experiments: a protocol does one run and returns its row. Seeds, threads,
// summaries and figures are the same for all protocols.

export interface RunRow {
  readonly panel: string
  readonly method: string
  readonly seed: number
  /** Where the points of each series stand: steps counted from 1, rising. */
  readonly at: readonly number[]
  /** Curves by name (`reward`, `regret`, …), a value for each point of `at`. */
  readonly series: Readonly<Record<string, readonly number[]>>
  /** Single figures by name (`finalReward`, `meanReward`, …). */
  readonly measures: Readonly<Record<string, number>>
  /** How long it took; not compared when a run is checked. */
  readonly milliseconds: number
}

/** Fixed, so that a seed gives the same row everywhere: relaxed SIMD may round as a machine likes. */
export const runKernel = 'simd128'

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
