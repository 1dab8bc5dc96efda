// The initial status of a full training run, and the description of its outcome.

import type { Judgment } from '../../recommender/judge-model.ts'
import type { TrainingStatus } from '../schemas/model.ts'

export const waitingRun = (group: string, startedAt: number): TrainingStatus => ({
  group,
  state: 'waiting',
  startedAt,
  epoch: 0,
  epochs: 0,
  share: 0,
  secondsLeft: null,
  loss: null,
  validation: null,
})

export const describeJudgment = ({ after, before, quality }: Judgment): string =>
  `HR@10 of the model ${after.hr10.toFixed(3)} on ${after.examples} held-out interactions, ` +
  `${before.hr10.toFixed(3)} before; popularity ${quality.popularity.hr10.toFixed(3)}, ` +
  `memory ${quality.memory.hr10.toFixed(3)}, blend ${quality.served.hr10.toFixed(3)}`

export function short(validation: TrainingStatus['validation']): TrainingStatus['validation'] {
  return validation && { hr10: validation.hr10, ndcg10: validation.ndcg10 }
}
