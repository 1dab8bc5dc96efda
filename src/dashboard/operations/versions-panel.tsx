// Models: train now, and roll back to an earlier version.

import { useState } from 'preact/hooks'

import type { ModelVersion, TrainOutcome } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useAction } from '../api/use-fetch.ts'
import { useVersions } from '../api/versions.ts'
import { ConfirmButton } from '../parts/inputs.tsx'
import { describeOutcome, TrainingNow, VersionsTable } from '../parts/models.tsx'
import { Answer, Panel, Refused } from '../parts/panel.tsx'

export function VersionsPanel() {
  const versions = useVersions()
  return (
    <Panel title="Models" class="wide">
      <TrainNow onTrained={versions.refresh} />
      <Answer fetched={versions} what="versions">
        {(all) => (
          <VersionsTable
            label="Model versions, newest first"
            versions={all}
            action={(version) =>
              isServing(version, all) ? (
                <span class="good">served</span>
              ) : (
                <RollBack {...{ version }} onDone={versions.refresh} />
              )
            }
          />
        )}
      </Answer>
    </Panel>
  )
}

/** A rollback also creates a version, so the newest version of a group is served. */
const isServing = (version: ModelVersion, newestFirst: readonly ModelVersion[]): boolean =>
  version === newestFirst.find(({ group }) => group === version.group)

function TrainNow({ onTrained }: { onTrained(): void }) {
  const [outcomes, setOutcomes] = useState<readonly TrainOutcome[]>([])
  const { isBusy, failure, act } = useAction()
  const train = async (): Promise<void> => {
    await act(api.train(), (answer) => setOutcomes(answer.outcomes))
    onTrained()
  }
  return (
    <>
      <div class="row train">
        <button type="button" class="primary" disabled={isBusy} onClick={train}>
          {isBusy ? 'Training …' : 'Train now'}
        </button>
        <div role="status">
          {outcomes.map((outcome) => (
            <div key={outcome.group}>{describeOutcome(outcome)}</div>
          ))}
        </div>
      </div>
      {outcomes.length === 0 && <TrainingNow />}
      {failure && <Refused failure={failure} />}
    </>
  )
}

function RollBack({
  version: { group, version, available },
  onDone,
}: {
  readonly version: ModelVersion
  onDone(): void
}) {
  if (!available) return <span class="soft">weights deleted</span>
  return (
    <ConfirmButton
      label="Roll back"
      about={`to ${group} v${version}`}
      question={`Roll back to ${group} v${version}?`}
      onConfirm={() => api.rollBack(version, group).then(onDone)}
    >
      Its weights are served from now on, as a new version. Recorded events stay, and training
      continues from there.
    </ConfirmButton>
  )
}
