// The Operations view: health, latency, keys and models.

import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import { Answer } from '../parts/states.tsx'
import type { ViewProps } from '../views.ts'
import { HealthPanel } from './health-panel.tsx'
import { KeysPanel } from './keys-panel.tsx'
import { LatencyPanel } from './latency-panel.tsx'
import { VersionsPanel } from './versions-panel.tsx'
import './operations.css'

export function OperationsView(_props: ViewProps) {
  const fetched = useFetch(api.status, [], { everyMs: 2000 })
  return (
    <>
      <h1>Operations</h1>
      <div class="grid">
        <Answer {...{ fetched }} what="the status">
          {(status) => (
            <>
              <HealthPanel {...{ status }} />
              <LatencyPanel {...status} />
            </>
          )}
        </Answer>
        <VersionsPanel />
        <KeysPanel />
      </div>
    </>
  )
}
