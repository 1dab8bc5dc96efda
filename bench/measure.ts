// Times the same work on several engines alternately, so that a disturbance affects all of them.

import { cpus, loadavg } from 'node:os'

/** One line of a benchmark: a named piece of work for each engine. */
export interface BenchCase {
  readonly case: string
  /** The number of floating-point operations, if a share of the machine's peak is meaningful. */
  readonly flops?: number
  /** The work of each engine; ratios are relative to `reference`. */
  readonly engines: Readonly<Record<string, () => void>>
}

export interface BenchRow {
  readonly case: string
  readonly engine: string
  readonly minMs: number
  readonly medianMs: number
  /** The speedup over the reference in this run, from minimum times. */
  readonly ratio: number
  readonly fractionOfPeak?: number
  /** The time in units of the peak loop's time for 268 MFLOP. */
  readonly units?: number
  /** The time divided by the time of plain dot products over the same items. */
  readonly timesDot?: number
}

export interface BenchReport {
  readonly machine: string
  readonly cases: readonly BenchRow[]
}

/** One number of a benchmark without engines, with its bar. */
export interface Figure {
  readonly figure: string
  readonly value: number
  readonly unit: string
  readonly bar?: string
}

export interface FigureReport {
  readonly machine: string
  readonly figures: readonly Figure[]
}

/** Runs `repetitions` rounds; each round runs the work once on every engine. */
export function measure(
  { case: name, flops, engines }: BenchCase,
  repetitions: number,
  peak: Peak,
): readonly BenchRow[] {
  const times = new Map(Object.keys(engines).map((engine) => [engine, [] as number[]]))
  const peakTimes: number[] = []
  for (const work of Object.values(engines)) work()
  for (let round = 0; round < repetitions; round++) {
    for (const [engine, work] of Object.entries(engines)) times.get(engine)!.push(clock(work))
    if (flops !== undefined) peakTimes.push(clock(peak.loop))
  }
  const reference = Math.min(...times.get('reference')!)
  const peakRate = peak.flops / Math.min(...peakTimes)
  return [...times].map(([engine, ms]) => ({
    case: name,
    engine,
    minMs: Math.min(...ms),
    medianMs: median(ms),
    ratio: reference / Math.min(...ms),
    ...(flops !== undefined && { fractionOfPeak: flops / Math.min(...ms) / peakRate }),
  }))
}

/** The register-only loop of multiply-adds, and its number of operations. */
export interface Peak {
  readonly flops: number
  readonly loop: () => void
}

export function clock(work: () => void): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

export function describeMachine(): string {
  const [cpu] = cpus()
  const load = loadavg()[0]!.toFixed(2)
  return `${cpu?.model.trim()}, ${cpus().length} cores, Node ${process.version}, load ${load}`
}
