// The Data view: catalog, users, one recommendation, and imports.

import type { FunctionComponent } from 'preact'

import { addressOf, type ViewProps } from '../route.ts'
import { ImportPart } from './import-part.tsx'
import { ItemsPart } from './items-part.tsx'
import { RecommendationPart } from './recommendation-part.tsx'
import { UsersPart } from './users-part.tsx'
import './data.css'

type Part = Readonly<{ title: string; component: FunctionComponent<ViewProps> }>

const parts: Readonly<Record<string, Part>> = {
  items: { title: 'Items', component: ItemsPart },
  users: { title: 'Users', component: UsersPart },
  recommendation: { title: 'Recommendation', component: RecommendationPart },
  import: { title: 'Import', component: ImportPart },
}

export function DataView({ params }: ViewProps) {
  const name = Object.keys(parts).find((each) => each === params['part']) ?? 'items'
  const { component: Shown } = parts[name]!
  return (
    <>
      <nav class="parts" aria-label="Parts of Data">
        {Object.entries(parts).map(([part, { title }]) => (
          <a
            key={part}
            href={addressOf('data', { part })}
            {...(part === name && { 'aria-current': 'page' as const })}
          >
            {title}
          </a>
        ))}
      </nav>
      <Shown params={params} />
    </>
  )
}
