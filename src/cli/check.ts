// ren check: reports which kernels run here, whether they agree with the reference, and their speed.

import type { Command } from 'commander'

import { createRandom } from '../core/random.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { compareKernels, tolerance } from './kernel-agreement.ts'

const SIZE = 512
const FLOPS = 2 * SIZE ** 3
const REPETITIONS = 20

/** `open` creates the engine to check. */
export function addCheck(program: Command, open: () => Promise<Engine> = createEngine): void {
  program
    .command('check')
    .description('show which kernels run here, whether they agree, and their speed')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: { json?: true }) => {
      const report = check(await open(), await createEngine({ kernel: 'reference' }))
      console.log(json ? JSON.stringify(report) : toText(report))
      if (!report.agrees) process.exitCode = 1
    })
}

function check(engine: Engine, reference: Engine) {
  const kernels = compareKernels(engine, reference)
  const [slow, fast] = [shortestMs(product(reference), 1), shortestMs(product(engine), REPETITIONS)]
  return {
    kernel: engine.name,
    agrees: kernels.every(({ agrees }) => agrees),
    tolerance,
    kernels,
    gigaflops: FLOPS / fast / 1e6,
    timesReference: slow / fast,
  }
}

function product(engine: Engine): () => void {
  const random = createRandom(1)
  const square = (name: string) => engine.matrix(name, SIZE, SIZE)
  const [a, b, out] = [square('a'), square('b'), square('out')]
  for (const { values } of [a, b]) values.forEach((_, i) => (values[i] = random.normal()))
  return () => engine.trusted.multiply({ a, b, out })
}

/** The shortest time of several runs, in milliseconds. */
function shortestMs(work: () => void, repetitions: number): number {
  const times = Array.from({ length: repetitions }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
  return Math.min(...times)
}

function toText(report: ReturnType<typeof check>): string {
  const verdict = (agrees: boolean): string => (agrees ? 'agrees' : 'DISAGREES')
  return [
    `kernels    ${report.kernel}, chosen for this runtime (Node ${process.version})`,
    `agreement  ${verdict(report.agrees)} with the plain-TypeScript reference, to ${tolerance} of the largest value`,
    ...report.kernels.map(
      ({ kernel, largestDifference, agrees }) =>
        `           ${kernel.padEnd(20)} ${verdict(agrees)}, largest difference ${largestDifference.toExponential(1)}`,
    ),
    `speed      ${report.gigaflops.toFixed(1)} GFLOP/s on one thread, ${report.timesReference.toFixed(0)} times the reference (${SIZE}³ product)`,
  ].join('\n')
}
