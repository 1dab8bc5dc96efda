// Live where a demonstration runs: its rounds.

import { useEffect, useMemo, useState } from 'preact/hooks'

import type { Demonstration, ServiceMetrics } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useAsked } from '../api/use-asked.ts'
import type { Asked } from '../api/use-asked.ts'
import { Answer } from '../parts/states.tsx'
import { DemonstrationBar } from './demonstration-bar.tsx'
import { headlineOfRounds } from './headline.ts'
import { Panels } from './panels.tsx'
import { lastStanding, roundCurves } from './round-curves.ts'
import { RoundPanels } from './round-panels.tsx'

interface DemonstratedProps {
  readonly metrics: ServiceMetrics
}

export function Demonstrated(props: DemonstratedProps) {
  const asked = useDemonstration()
  return (
    <Answer {...{ asked }} what="the demonstration">
      {(demonstration) => (
        <Rounds {...{ demonstration, ...props }} onChange={() => asked.refresh()} />
      )}
    </Answer>
  )
}

const [runningMs, restingMs] = [1000, 5000]

function useDemonstration(): Asked<Demonstration> {
  const [everyMs, setEveryMs] = useState(runningMs)
  const asked = useAsked(api.demonstration, [], { everyMs })
  const isRunning = asked.value?.state === 'running'
  useEffect(() => setEveryMs(isRunning ? runningMs : restingMs), [isRunning])
  return asked
}

function Rounds({
  demonstration,
  metrics,
  onChange,
}: DemonstratedProps & { readonly demonstration: Demonstration; onChange(): void }) {
  const { arms } = demonstration
  const reward = useMemo(() => roundCurves(arms, 'reward'), [arms])
  const standing = lastStanding(reward)
  return (
    <>
      <DemonstrationBar {...{ demonstration, onChange }} round={standing?.round ?? 0} />
      <p class="headline">{headlineOfRounds(standing)}</p>
      <p class="soft">{demonstration.world}</p>
      <div class="grid">
        <RoundPanels {...{ demonstration, reward }} />
        <Panels {...{ metrics }} entrants={arms} />
      </div>
    </>
  )
}
