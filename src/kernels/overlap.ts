// What a kernel writes must lie apart from its other arguments: most read on after they have begun
// to write. Kernels that go element by element may write the very matrix that they read.

import { RenError } from '../core/errors.ts'
import { contract, elementwiseKernels } from './contract.ts'
import type { KernelName } from './contract.ts'
import type { Parameter } from './signature.ts'

/** Two places in a kernel's list of parameters, of which the first is written. */
interface Pair {
  readonly written: number
  readonly other: number
  readonly maybeSame: boolean
}

const isWritten = ({ kind }: Parameter): boolean =>
  kind === 'output' || kind === 'update' || kind === 'scratch' || kind === 'indices-output'

/** Refuses arguments that overlap, given by where each starts and where it ends. */
export function createOverlapCheck(
  kernel: KernelName,
): (starts: readonly number[], ends: readonly number[]) => void {
  const parameters: readonly Parameter[] = contract[kernel]
  const places = [...parameters.keys()].filter(
    (i) => 'shape' in parameters[i]! || 'bound' in parameters[i]!,
  )
  const pairs: readonly Pair[] = places
    .filter((i) => isWritten(parameters[i]!))
    .flatMap((written) =>
      places
        .filter((other) => other > written || !isWritten(parameters[other]!))
        .filter((other) => other !== written)
        .map((other) => ({
          written,
          other,
          maybeSame: elementwiseKernels.has(kernel) && !isWritten(parameters[other]!),
        })),
    )
  return (starts, ends) => {
    for (const { written, other, maybeSame } of pairs) {
      const isApart = starts[written]! >= ends[other]! || starts[other]! >= ends[written]!
      if (isApart || (maybeSame && starts[written] === starts[other])) continue
      throw new RenError(
        'invalid-argument',
        `${kernel}: ${parameters[written]!.name} overlaps ${parameters[other]!.name} in memory`,
      )
    }
  }
}
