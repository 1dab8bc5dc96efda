// BPR-max of a matrix of scores, each row against its own target.

import { expectClose } from '../kernel-workspace.ts'
import type { Workspace } from '../kernel-workspace.ts'
import { goldens, total } from './goldens.ts'

export function checkBprMax(w: Workspace): void {
  const golden = goldens.bpr_max
  const [rows, columns] = golden.scores.shape as [number, number]
  const scores = w.floats(golden.scores.data)
  const targets = w.integers(golden.positive_column)
  const weights = w.floats(Array.from({ length: rows }, () => 1))
  const losses = w.output(rows)
  w.kernels.bprMaxRows(0, rows, columns, 0, golden.bpreg, targets, weights, scores, losses)
  expectClose([total(w.read(losses, rows))], [golden.loss_sum])
  expectClose(w.read(scores, rows * columns), golden.grad.data)
}
