// ren check: which kernels run here, whether they agree with the reference, and how fast they are.

import type { Command } from 'commander'

import { createRandom } from '../core/random.ts'
import { createEngine } from '../kernels/index.ts'
import type { Engine, KernelBuild } from '../kernels/index.ts'

interface CheckReport {
  readonly kernel: KernelBuild
  /** The largest difference from the reference in a 512³ product, over its largest value. */
  readonly largestDifference: number
  readonly gigaflops: number
  readonly timesReference: number
}

const SIZE = 512
const FLOPS = 2 * SIZE ** 3
const REPETITIONS = 20

export function addCheck(program: Command): void {
  program
    .command('check')
    .description('say which kernels run here, how well they agree and how fast they are')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: { json?: true }) => {
      const report = await check()
      if (json) console.log(JSON.stringify(report))
      else print(report)
    })
}

async function check(): Promise<CheckReport> {
  const [engine, reference] = [await createEngine(), await createEngine({ kernel: 'reference' })]
  const [fast, slow] = [product(engine), product(reference)]
  const [slowMs, fastMs] = [best(slow.run, 1), best(fast.run, REPETITIONS)]
  const [expected, actual] = [slow.values(), fast.values()]
  return {
    kernel: engine.name,
    largestDifference: largest(expected.map((x, i) => x - actual[i]!)) / largest(expected),
    gigaflops: FLOPS / fastMs / 1e6,
    timesReference: slowMs / fastMs,
  }
}

function product(engine: Engine) {
  const random = createRandom(1)
  const square = (name: string) => engine.matrix(name, SIZE, SIZE)
  const [a, b, out] = [square('a'), square('b'), square('out')]
  for (const { values } of [a, b]) values.forEach((_, i) => (values[i] = random.normal()))
  return { run: () => engine.trusted.multiply({ a, b, out }), values: () => out.values }
}

function best(work: () => void, repetitions: number): number {
  const times = Array.from({ length: repetitions }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
  return Math.min(...times)
}

function largest(values: Float32Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
}

function print(report: CheckReport): void {
  console.log(`kernels    ${report.kernel}, chosen for this runtime (Node ${process.version})`)
  console.log(
    `agreement  largest difference from the plain-TypeScript reference: ${report.largestDifference.toExponential(1)} of the largest value`,
  )
  console.log(
    `speed      ${report.gigaflops.toFixed(1)} GFLOP/s on one thread, ${report.timesReference.toFixed(0)} times the reference (${SIZE}³ product)`,
  )
}
