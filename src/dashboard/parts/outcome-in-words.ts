// What came of an update, in a sentence.

import type { TrainOutcome } from '../../service/index.ts'
import { figure } from '../format.ts'

export function outcomeInWords(told: TrainOutcome): string {
  const { group, outcome, reason, version, loss, swapMs } = told
  if (outcome === 'nothing-new') return `${group}: there is nothing new to learn from.`
  if (outcome === 'refused') return `${group}: the update was refused, since ${reason}.`
  const still = swapMs === null ? '' : `; serving stood still for ${figure(swapMs)} ms`
  return `${group} has learnt: version ${version}, loss ${figure(loss)}${still}.`
}
