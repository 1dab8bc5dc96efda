// The catalog, ordered by name, filtered by name and attributes.

import { useState } from 'preact/hooks'

import type { ItemInfo, Page } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useLabel } from '../api/labels.ts'
import { useFetch } from '../api/use-fetch.ts'
import { count, fixed } from '../format.ts'
import { formatAttributes, ItemLink } from '../parts/items.tsx'
import { Loaded, Facts, Panel } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import { addressOf, type ViewProps } from '../route.ts'
import { FilterBuilder, filterText, type Condition } from './filter-builder.tsx'
import { Details, PagedTable, PrefixField, usePages } from './paged-table.tsx'

const itemsPerPage = 25

export function ItemsPart({ params: { item } }: ViewProps) {
  const [prefix, setPrefix] = useState('')
  const [conditions, setConditions] = useState<readonly Condition[]>([])
  const filter = filterText(conditions)
  const pages = usePages<string, Page<ItemInfo>>(
    JSON.stringify([prefix, filter]),
    (after, signal) => api.items({ prefix, filter, after, limit: itemsPerPage }, signal),
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
          empty={isNarrowed ? 'No matching items.' : <NoItems />}
          rowKey={(entry) => entry.item}
          isCurrent={(entry) => entry.item === item}
          columns={{
            '~Item': (entry) => <ItemLink item={entry.item} hasId />,
            '~Attributes': (entry) => <OtherAttributes {...entry} />,
            '#Impressions': ({ impressions }) => count(impressions),
            '#Interactions': ({ interactions }) => count(interactions),
          }}
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
      {Object.entries(formatAttributes(Object.fromEntries(others)))
        .map((pair) => pair.join(' '))
        .join(', ')}
    </span>
  )
}

function ItemDetails({ item }: { readonly item: string }) {
  const fetched = useFetch((signal) => api.item(item, signal), [item])
  const { title, image } = useLabel(item)
  return (
    <Details title={title ?? item} back={addressOf('data', { part: 'items' })}>
      <Loaded fetched={fetched} what="the item">
        {({ attributes, impressions, interactions }) => (
          <>
            {image !== null && <img class="item-image" src={image} alt="" />}
            <Facts
              of={{
                ...(title !== null && { Id: item }),
                Shown: `${count(impressions)} times`,
                Chosen: `${count(interactions)} times`,
              }}
            />
            <h3>Attributes</h3>
            <Facts of={formatAttributes(attributes)} empty="No attributes." />
            <Similar item={item} />
          </>
        )}
      </Loaded>
    </Details>
  )
}

function Similar({ item }: { readonly item: string }) {
  const fetched = useFetch((signal) => api.similar(item, signal), [item])
  return (
    <>
      <h3>Similar items</h3>
      <Loaded fetched={fetched} what="similar items">
        {({ items }) => (
          <Table
            label="Similar items"
            rows={items}
            empty="No other items."
            rowKey={(other) => other.item}
            columns={{
              '~Item': (other) => <ItemLink item={other.item} />,
              '#Similarity': ({ similarity }) => fixed(similarity),
              '#Transitions': ({ parts }) => fixed(parts.memory),
              '#Embeddings': ({ parts }) => fixed(parts.model),
            }}
          />
        )}
      </Loaded>
    </>
  )
}
