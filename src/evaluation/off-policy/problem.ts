// What every off-policy estimator is asked, and the checks of it: a log of one policy's actions,
// and the chances of another policy that did not run.

import type { BanditLog } from '../../core/log.ts'
import { RenError, invalid } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/errors.ts'

/**
 * The chance that the evaluated policy shows `action` where the log has `row`; over the actions of
 * a row they sum to 1. It may look at the row's context and position, never at its reward.
 */
export type TargetPolicy = (row: number, action: number) => number

/** What reward would `policy` have earned on the rows of `log`? */
export interface OffPolicyProblem {
  readonly log: BanditLog
  readonly policy: TargetPolicy
}

// Room for chances that were computed in single precision.
const sumTolerance = 1e-4

/** Visits the rows in order with the policy's chances of all actions, in one borrowed array. */
export function forEachRow(
  { log, policy }: OffPolicyProblem,
  visit: (row: number, chances: Float64Array) => void,
): void {
  requireBanditLog(log)
  const chances = new Float64Array(log.actionCount)
  for (let row = 0; row < log.actions.length; row++) {
    let sum = 0
    for (let action = 0; action < chances.length; action++) {
      const chance = policy(row, action)
      if (!(chance >= 0)) {
        throw invalid(
          `policy: the chance of action ${action} in row ${row} must be at least 0, got ${chance}`,
        )
      }
      chances[action] = chance
      sum += chance
    }
    if (!(Math.abs(sum - 1) <= sumTolerance)) {
      throw invalid(`policy: the chances of row ${row} must sum to 1, got ${sum}`)
    }
    visit(row, chances)
  }
}

/** Refuses columns of different lengths, an empty log, and values out of range. */
export function requireBanditLog(log: BanditLog): void {
  const { actions, rewards, propensities, positions, contexts, actionCount, positionCount } = log
  if (!Number.isSafeInteger(actionCount)) {
    throw invalid(`log: actionCount must be a whole number, got ${actionCount}`)
  }
  const lengths = [actions, rewards, propensities, positions, contexts].map(({ length }) => length)
  if (lengths[0] === 0 || new Set(lengths).size > 1) {
    throw new RenError(
      'shape-mismatch',
      'log: expected as many rewards, propensities, positions and contexts as actions, ' +
        `and at least one, got actions ${lengths[0]} and ${lengths.slice(1).join(', ')}`,
    )
  }
  requireIndices('actions', actions, actionCount)
  requireIndices('positions', positions, positionCount)
  requireIndices('contexts', contexts, log.contextNames.length)
  requireEach('rewards', rewards, 'non-finite-input', 'finite', Number.isFinite)
  requireEach(
    'propensities',
    propensities,
    'invalid-argument',
    'above 0 and at most 1',
    (propensity) => propensity > 0 && propensity <= 1,
  )
}

function requireIndices(name: string, column: Int32Array, count: number): void {
  const range = `from 0 to ${count - 1}`
  requireEach(name, column, 'index-out-of-range', range, (index) => index >= 0 && index < count)
}

function requireEach(
  name: string,
  column: Int32Array | Float32Array | Float64Array,
  code: ErrorCode,
  expected: string,
  holds: (value: number) => boolean,
): void {
  for (let row = 0; row < column.length; row++) {
    if (holds(column[row]!)) continue
    throw new RenError(code, `log: ${name}[${row}] must be ${expected}, got ${column[row]}`)
  }
}
