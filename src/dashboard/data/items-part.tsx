// The catalog, ordered by name, filtered by name and attributes.

import { useState } from 'preact/hooks'

import type { ItemInfo, Page } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useLabel } from '../api/use-label.ts'
import { count } from '../format.ts'
import { Panel } from '../parts/panel.tsx'
import { addressOf } from '../route.ts'
import type { ViewProps } from '../views.ts'
import { attributeWords } from '../parts/attribute-text.ts'
import { FilterBuilder } from './filter-builder.tsx'
import { ItemDetails } from './item-details.tsx'
import { filterText } from './item-filter.ts'
import type { Condition } from './item-filter.ts'
import { PagedTable } from './paged-table.tsx'
import { ItemLink } from '../parts/item-name.tsx'
import { PrefixField } from './prefix-field.tsx'
import { usePages } from './use-pages.ts'

const rowsOfPage = 25

export function ItemsPart({ params: { item } }: ViewProps) {
  const [prefix, setPrefix] = useState('')
  const [conditions, setConditions] = useState<readonly Condition[]>([])
  const filter = filterText(conditions)
  const pages = usePages<string, Page<ItemInfo>>(
    JSON.stringify([prefix, filter]),
    (after, signal) => api.items({ prefix, filter, after, limit: rowsOfPage }, signal),
  )
  const entries = pages.fetched.value?.entries ?? []
  const attributes = [...new Set(entries.flatMap((entry) => Object.keys(entry.attributes)))]
  const isNarrowed = prefix !== '' || filter !== ''
  return (
    <div class="with-details">
      <Panel title="Items">
        <PrefixField {...{ prefix, setPrefix }} />
        <FilterBuilder {...{ conditions, setConditions, attributes, filter }} />
        <PagedTable
          pages={pages}
          what="items"
          columns={['~Item', '~Attributes', '#Impressions', '#Chosen']}
          empty={isNarrowed ? 'No matching items.' : <NoItems />}
          row={(entry) => ({
            key: entry.item,
            isCurrent: entry.item === item,
            cells: [
              <ItemLink item={entry.item} hasId />,
              <OtherAttributes {...entry} />,
              count(entry.impressions),
              count(entry.takes),
            ],
          })}
        />
      </Panel>
      {item !== undefined && <ItemDetails key={item} item={item} />}
    </div>
  )
}

const NoItems = () => (
  <>
    The catalog is empty. <a href={addressOf('data', { part: 'import' })}>Import</a> a log, or add
    items over HTTP.
  </>
)

/** The attributes without title and image, which are shown before them. */
function OtherAttributes({ item, attributes }: ItemInfo) {
  const { title, image } = useLabel(item)
  const others = Object.entries(attributes).filter(
    ([, value]) => value !== title && value !== image,
  )
  return (
    <span class="soft">
      {Object.entries(attributeWords(Object.fromEntries(others)))
        .map((pair) => pair.join(' '))
        .join(', ')}
    </span>
  )
}
