// The models: what is being learnt just now, and the versions that serve.

import { api } from '../api/client.ts'
import { useAsked } from '../api/use-asked.ts'
import { Panel } from '../parts/panel.tsx'
import { Answer } from '../parts/states.tsx'
import { VersionsTable } from '../parts/versions-table.tsx'
import { addressOf } from '../route.ts'
import { TrainingNow } from '../parts/training-now.tsx'

export function ModelsPanel() {
  const asked = useAsked(api.model, [], { everyMs: 2000 })
  const aside = (
    <a class="small" href={addressOf('operations')}>
      all versions
    </a>
  )
  return (
    <Panel title="Models" class="wide" {...{ aside }}>
      <TrainingNow />
      <Answer {...{ asked }} what="models">
        {({ versions }) => (
          <VersionsTable {...{ versions }} label="Versions of the models that serve" />
        )}
      </Answer>
    </Panel>
  )
}
