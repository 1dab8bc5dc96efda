// The result of one run: one line of rows.ndjson.

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
