// The view Why.

import { Empty } from '../parts/states.tsx'
import type { ViewProps } from '../views.ts'

export function WhyView(_props: ViewProps) {
  return <Empty>Nothing here yet.</Empty>
}
