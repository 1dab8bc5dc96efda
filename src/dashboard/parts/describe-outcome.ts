// Describes the outcome of an update.

import type { TrainOutcome } from '../../service/index.ts'
import { figure } from '../format.ts'

export function describeOutcome(update: TrainOutcome): string {
  const { group, outcome, reason, version, loss, swapMs } = update
  if (outcome === 'nothing-new') return `${group}: no new events to train on.`
  if (outcome === 'refused') return `${group}: the update was refused because ${reason}.`
  const still = swapMs === null ? '' : `; serving paused for ${figure(swapMs)} ms`
  return `${group} was trained: version ${version}, loss ${figure(loss)}${still}.`
}
