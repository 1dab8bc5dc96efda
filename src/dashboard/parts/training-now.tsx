// The current training, or the outcome of the last update.

import { percent } from '../format.ts'
import { ProgressBar } from './progress-bar.tsx'
import { describeOutcome } from './describe-outcome.ts'
import { useTraining } from './use-training.ts'

export function TrainingNow() {
  const { running, last } = useTraining()
  if (running.size === 0) {
    return <p class="soft training">{last ? describeOutcome(last) : 'No training in progress.'}</p>
  }
  return (
    <ul class="training" aria-label="Training">
      {Array.from(running, ([group, share]) => (
        <li key={group}>
          <span>{group}</span>
          <ProgressBar label={`${group} learns`} share={share} />
          <span class="number">{percent(Math.round(100 * share) / 100)}</span>
        </li>
      ))}
    </ul>
  )
}
