// The models: what is being learnt just now, and the versions that came of it.

import type { ModelVersion } from '../../service/index.ts'
import type { Asked } from '../api/use-asked.ts'
import { Panel } from '../parts/panel.tsx'
import { Answer } from '../parts/states.tsx'
import { VersionsTable } from '../parts/versions-table.tsx'
import { TrainingNow } from './training-now.tsx'

export function ModelsPanel({ versions }: { readonly versions: Asked<readonly ModelVersion[]> }) {
  return (
    <Panel title="Models" class="wide">
      <TrainingNow />
      <Answer asked={versions} what="versions">
        {(all) => <VersionsTable versions={all} />}
      </Answer>
    </Panel>
  )
}
