// The view Live.

import { Empty } from '../parts/states.tsx'
import type { ViewProps } from '../views.ts'

export function LiveView(_props: ViewProps) {
  return <Empty>Nothing here yet.</Empty>
}
