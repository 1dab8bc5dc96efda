// The view Operations.

import { Empty } from '../parts/states.tsx'
import type { ViewProps } from '../views.ts'

export function OperationsView(_props: ViewProps) {
  return <Empty>Nothing here yet.</Empty>
}
