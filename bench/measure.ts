// Times the same work on several engines, turn by turn, so that what disturbs one disturbs all.

import { cpus, loadavg } from 'node:os'

/** One line of a benchmark: a named piece of work, and what each engine takes for it. */
export interface BenchCase {
  readonly case: string
  /** Floating-point operations, where a fraction of the machine's peak makes sense. */
  readonly flops?: number
  /** The work on each engine; `reference` is what ratios are taken against. */
  readonly engines: Readonly<Record<string, () => void>>
}

export interface BenchRow {
  readonly case: string
  readonly engine: string
  readonly minMs: number
  readonly medianMs: number
  /** How many times faster than the reference in this run (by minima). */
  readonly ratio: number
  readonly fractionOfPeak?: number
  /** Time in units of the peak loop's time for 268 MFLOP. */
  readonly units?: number
  /** Time over that of plain dot products over the same items. */
  readonly timesDot?: number
}

export interface BenchReport {
  readonly machine: string
  readonly cases: readonly BenchRow[]
}

/** One number of a benchmark that is not about engines, with what we hold ourselves to. */
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

/** Runs `repetitions` rounds; in each round every engine does the work once. */
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

/** The register-only loop of multiply-adds, and how much it computes. */
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
