// The view Operations: whether the service is well, and what an operator can do.

import { api } from '../api/client.ts'
import { useAsked } from '../api/use-asked.ts'
import { Answer } from '../parts/states.tsx'
import type { ViewProps } from '../views.ts'
import { HealthPanel } from './health-panel.tsx'
import { KeysPanel } from './keys-panel.tsx'
import { LatencyPanel } from './latency-panel.tsx'
import { VersionsPanel } from './versions-panel.tsx'
import './operations.css'

export function OperationsView(_props: ViewProps) {
  const asked = useAsked(api.status, [], { everyMs: 2000 })
  return (
    <>
      <h1>Operations</h1>
      <div class="grid">
        <Answer {...{ asked }} what="how the service is">
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
