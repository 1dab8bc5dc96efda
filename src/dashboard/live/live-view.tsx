// The Live view: current reward by policy.

import type { Status } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import type { ViewProps } from '../route.ts'
import { Answer, Facts } from '../parts/panel.tsx'
import { DemoView } from './demo-view.tsx'
import { Served } from './served.tsx'
import { tilesOf } from './tiles.ts'
import { useFigures } from './use-figures.ts'
import type { LiveFigures } from './use-figures.ts'
import './live.css'

export function LiveView(_props: ViewProps) {
  const fetched = useFetch(api.status, [], { everyMs: 5000 })
  const figures = useFigures()
  return (
    <>
      <h1 class="unseen">Live</h1>
      <Answer {...{ fetched }} what="the status">
        {(status) => (
          <>
            <Facts class="tiles" of={tilesOf(status, figures.value)} />
            <Answer fetched={figures} what="figures">
              {(live) => <Live {...{ status, live }} refresh={fetched.refresh} />}
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
  if (status.demo) return <DemoView metrics={rest.live.metrics} />
  return <Served {...{ status, ...rest }} />
}
