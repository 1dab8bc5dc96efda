// The view Live: what is earned just now, and by whom.

import type { Status } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useAsked } from '../api/use-asked.ts'
import { count, figure } from '../format.ts'
import { Facts } from '../parts/facts.tsx'
import { Answer } from '../parts/states.tsx'
import type { ViewProps } from '../views.ts'
import { ArmsPanel } from './arms-panel.tsx'
import { Demonstrated } from './demonstrated.tsx'
import './live.css'
import { ModelsPanel } from './models-panel.tsx'
import { PoliciesPanel } from './policies-panel.tsx'
import { Served } from './served.tsx'
import { useFigures } from './use-figures.ts'
import type { LiveFigures } from './use-figures.ts'

export function LiveView(_props: ViewProps) {
  const asked = useAsked(api.status, [], { everyMs: 5000 })
  const figures = useFigures()
  return (
    <>
      <h1 class="unseen">Live</h1>
      <Answer {...{ asked }} what="how the service is">
        {(status) => (
          <Answer asked={figures} what="figures">
            {(live) => <Live {...{ status, live }} />}
          </Answer>
        )}
      </Answer>
    </>
  )
}

interface LiveProps {
  readonly status: Status
  readonly live: LiveFigures
}

function Live({ status, live }: LiveProps) {
  const tiles = <Tiles {...{ status, live }} />
  const panels = (
    <>
      <PoliciesPanel metrics={live.metrics} />
      <ArmsPanel />
      <ModelsPanel />
    </>
  )
  if (status.demonstration) return <Demonstrated {...{ tiles }}>{panels}</Demonstrated>
  return <Served {...{ live, tiles }}>{panels}</Served>
}

function Tiles({ status: { items, users, position }, live }: LiveProps) {
  return (
    <Facts
      class="tiles"
      of={{
        'Events a second': figure(live.eventsPerSecond),
        'Events in the log': count(live.position ?? position),
        Users: count(users),
        Items: count(items),
      }}
    />
  )
}
