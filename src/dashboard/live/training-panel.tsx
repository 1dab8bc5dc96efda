// Full training runs: progress, time left, and a button to cancel.

import type { TrainingStatus } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useAction } from '../api/use-action.ts'
import { duration, figure, percent } from '../format.ts'
import { Panel } from '../parts/panel.tsx'
import { ProgressBar } from '../parts/progress-bar.tsx'
import { Refused } from '../parts/states.tsx'

interface TrainingPanelProps {
  readonly training: readonly TrainingStatus[]
  onChange(): void
}

const isUnderWay = ({ state }: TrainingStatus): boolean =>
  state === 'waiting' || state === 'running'

export function TrainingPanel({ training, onChange }: TrainingPanelProps) {
  const { isBusy, failure, act } = useAction()
  const isAny = training.some(isUnderWay)
  return (
    <Panel
      title="Training"
      class="wide"
      aside={
        isAny && (
          <button
            type="button"
            class="small"
            disabled={isBusy}
            onClick={() => void act(api.cancelTraining(), onChange)}
          >
            Cancel training
          </button>
        )
      }
    >
      {failure && <Refused failure={failure} />}
      <ul class="runs">
        {training.map((run) => (
          <li class="run" key={run.group} data-state={run.state}>
            <strong>{run.group}</strong>
            <span class="soft small">{stateTitles[run.state]}</span>
            {isUnderWay(run) && (
              <ProgressBar
                label={`Training of ${run.group}`}
                share={run.state === 'waiting' ? null : run.share}
              />
            )}
            <p class={run.state === 'failed' ? 'error' : 'soft'}>{describeRun(run)}</p>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const stateTitles: Readonly<Record<TrainingStatus['state'], string>> = {
  waiting: 'waiting',
  running: 'running',
  finished: 'finished',
  cancelled: 'cancelled',
  failed: 'failed',
}

export function describeRun(run: TrainingStatus): string {
  const { state, epoch, epochs, share, secondsLeft, loss, validation, message } = run
  const facts = [
    ...(epochs > 0 ? [`epoch ${epoch} of ${epochs}`] : []),
    ...(state === 'running' ? [percent(Math.round(100 * share) / 100)] : []),
    ...(state === 'running' && secondsLeft !== null
      ? [`${duration(1000 * secondsLeft)} left`]
      : []),
    ...(loss === null ? [] : [`loss ${figure(loss)}`]),
    ...(validation ? [`HR@10 of held-out users ${percent(validation.hr10)}`] : []),
    ...(message === undefined ? [] : [message]),
  ]
  return facts.join(', ')
}
