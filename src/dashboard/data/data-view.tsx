// The view Data.

import { Empty } from '../parts/states.tsx'
import type { ViewProps } from '../views.ts'

export function DataView(_props: ViewProps) {
  return <Empty>Nothing here yet.</Empty>
}
