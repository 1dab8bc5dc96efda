// The Live view of the demo.

import { useEffect, useMemo, useState } from 'preact/hooks'

import type { Demo, ServiceMetrics } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import type { FetchState } from '../api/use-fetch.ts'
import { Answer } from '../parts/states.tsx'
import { DemoBar } from './demo-bar.tsx'
import { headlineOfRounds } from './headline.ts'
import { Panels } from './panels.tsx'
import { latestResults, roundCurves } from './round-curves.ts'
import { RoundPanels } from './round-panels.tsx'

interface DemoViewProps {
  readonly metrics: ServiceMetrics
}

export function DemoView(props: DemoViewProps) {
  const fetched = useDemo()
  return (
    <Answer {...{ fetched }} what="the demo">
      {(demo) => <Rounds {...{ demo, ...props }} onChange={() => fetched.refresh()} />}
    </Answer>
  )
}

const [runningMs, restingMs] = [1000, 5000]

function useDemo(): FetchState<Demo> {
  const [everyMs, setEveryMs] = useState(runningMs)
  const fetched = useFetch(api.demo, [], { everyMs })
  const isRunning = fetched.value?.state === 'running'
  useEffect(() => setEveryMs(isRunning ? runningMs : restingMs), [isRunning])
  return fetched
}

function Rounds({
  demo,
  metrics,
  onChange,
}: DemoViewProps & { readonly demo: Demo; onChange(): void }) {
  const { variants } = demo
  const reward = useMemo(() => roundCurves(variants, 'reward'), [variants])
  const results = latestResults(reward)
  return (
    <>
      <DemoBar {...{ demo, onChange }} round={results?.round ?? 0} />
      <p class="headline">{headlineOfRounds(results)}</p>
      <p class="soft">{demo.world}</p>
      <div class="grid">
        <RoundPanels {...{ demo, reward }} />
        <Panels {...{ metrics }} entrants={variants} />
      </div>
    </>
  )
}
