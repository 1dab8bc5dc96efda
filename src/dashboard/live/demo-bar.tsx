// Shows that users are simulated, the progress of the demo, and a pause button.

import type { Demo } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useAction } from '../api/use-action.ts'
import { useStream } from '../api/use-stream.ts'
import { count } from '../format.ts'
import { ProgressBar } from '../parts/progress-bar.tsx'
import { Refused } from '../parts/states.tsx'

interface BarProps {
  readonly demo: Demo
  /** The last round with results of all policies. */
  readonly round: number
  onChange(): void
}

export function DemoBar({ demo, round, onChange }: BarProps) {
  const { state, rounds } = demo
  const { failure, act } = useAction()
  const { connection } = useStream()
  const isRunning = state === 'running'
  const turn = async (): Promise<void> => {
    await act(api.setDemo(isRunning ? 'paused' : 'running'))
    onChange()
  }
  return (
    <div class="simulated">
      <span class="badge">Simulated users</span>
      <div class="simulated-course">
        <ProgressBar label="Completed rounds" share={rounds > 0 ? round / rounds : null} />
        <span class="soft">
          {state === 'over'
            ? `All ${count(rounds)} rounds completed`
            : `${state === 'paused' ? 'Paused at' : 'Round'} ${count(round)} of ${count(rounds)}`}
        </span>
      </div>
      {state !== 'over' && (
        <button type="button" disabled={connection === 'lost'} onClick={turn}>
          {isRunning ? 'Pause' : 'Resume'}
        </button>
      )}
      {failure && <Refused failure={failure} />}
    </div>
  )
}
