// The panels that both forms of the Live view share.

import type { ServiceMetrics } from '../../service/index.ts'
import { VariantsPanel } from './variants-panel.tsx'
import { ModelsPanel } from './models-panel.tsx'
import type { Entrant } from './pair-variants.ts'
import { PoliciesPanel } from './policies-panel.tsx'

interface PanelsProps {
  readonly metrics: ServiceMetrics
  /** The variants of the demo. */
  readonly entrants?: readonly Entrant[]
}

export function Panels({ metrics, entrants = [] }: PanelsProps) {
  return (
    <>
      <PoliciesPanel {...{ metrics }} />
      <VariantsPanel {...{ entrants }} />
      <ModelsPanel />
    </>
  )
}
