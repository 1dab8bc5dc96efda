// The view Map.

import { Empty } from '../parts/states.tsx'
import type { ViewProps } from '../views.ts'

export function MapView(_props: ViewProps) {
  return <Empty>Nothing here yet.</Empty>
}
