// The view Experiments.

import { Empty } from '../parts/states.tsx'
import type { ViewProps } from '../views.ts'

export function ExperimentsView(_props: ViewProps) {
  return <Empty>Nothing here yet.</Empty>
}
