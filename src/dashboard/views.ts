// The views of the page, in the order of its menu.

import type { FunctionComponent } from 'preact'

import { DataView } from './data/data-view.tsx'
import { ExperimentsView } from './experiments/experiments-view.tsx'
import { LiveView } from './live/live-view.tsx'
import { MapView } from './map/map-view.tsx'
import { OperationsView } from './operations/operations-view.tsx'
import { WhyView } from './why/why-view.tsx'

export interface ViewProps {
  /** The parameters after the ? of its URL. */
  readonly params: Readonly<Record<string, string>>
}

export interface View {
  /** Its name in the URL. */
  readonly name: string
  readonly title: string
  readonly component: FunctionComponent<ViewProps>
}

export const views: readonly View[] = [
  { name: 'live', title: 'Live', component: LiveView },
  { name: 'why', title: 'Why this item', component: WhyView },
  { name: 'map', title: 'Map', component: MapView },
  { name: 'experiments', title: 'Experiments', component: ExperimentsView },
  { name: 'data', title: 'Data', component: DataView },
  { name: 'operations', title: 'Operations', component: OperationsView },
]
