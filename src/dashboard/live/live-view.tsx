// The view Live: what is earned just now, and by whom.

import type { Status } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useAsked } from '../api/use-asked.ts'
import { Facts } from '../parts/facts.tsx'
import { Answer } from '../parts/states.tsx'
import type { ViewProps } from '../views.ts'
import { Demonstrated } from './demonstrated.tsx'
import './live.css'
import { Served } from './served.tsx'
import { tilesOf } from './tiles.ts'
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
          <>
            <Facts class="tiles" of={tilesOf(status, figures.value)} />
            <Answer asked={figures} what="figures">
              {(live) => <Live {...{ status, live }} refresh={asked.refresh} />}
            </Answer>
          </>
        )}
      </Answer>
    </>
  )
}

interface LiveProps {
  readonly status: Status
  readonly live: LiveFigures
  refresh(): void
}

function Live({ status, ...rest }: LiveProps) {
  if (status.demonstration) return <Demonstrated metrics={rest.live.metrics} />
  return <Served {...{ status, ...rest }} />
}
