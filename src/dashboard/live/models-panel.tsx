// Models: current training and served versions.

import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import { Panel } from '../parts/panel.tsx'
import { Answer } from '../parts/states.tsx'
import { VersionsTable } from '../parts/versions-table.tsx'
import { addressOf } from '../route.ts'
import { TrainingNow } from '../parts/training-now.tsx'

export function ModelsPanel() {
  const fetched = useFetch(api.model, [], { everyMs: 2000 })
  const aside = (
    <a class="small" href={addressOf('operations')}>
      all versions
    </a>
  )
  return (
    <Panel title="Models" class="wide" {...{ aside }}>
      <TrainingNow />
      <Answer {...{ fetched }} what="models">
        {({ versions }) => <VersionsTable {...{ versions }} label="Served model versions" />}
      </Answer>
    </Panel>
  )
}
