// The catalog, ordered by name, filtered by name and attributes.

import { useState } from 'preact/hooks'

import type { ItemInfo, Page } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useLabel } from '../api/labels.ts'
import { useFetch } from '../api/use-fetch.ts'
import type { ViewProps } from '../route.ts'
import { count, fixed, percent } from '../format.ts'
import { attributeWords, ItemLink } from '../parts/items.tsx'
import { Answer, Facts, Panel } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import { addressOf } from '../route.ts'
import { FilterBuilder, filterText } from './filter-builder.tsx'
import type { Condition } from './filter-builder.tsx'
import { Details, PagedTable, PrefixField, usePages } from './paged-table.tsx'

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

function ItemDetails({ item }: { readonly item: string }) {
  const fetched = useFetch((signal) => api.item(item, signal), [item])
  const { title, image } = useLabel(item)
  return (
    <Details title={title ?? item} back={addressOf('data', { part: 'items' })}>
      <Answer fetched={fetched} what="the item">
        {({ attributes, impressions, takes }) => (
          <>
            {image !== null && <img class="item-image" src={image} alt="" />}
            <Facts
              of={{
                ...(title !== null && { Id: item }),
                Shown: `${count(impressions)} times`,
                Taken: `${count(takes)} times`,
                'Chosen when shown': percent(impressions > 0 ? takes / impressions : null),
              }}
            />
            <h3>Attributes</h3>
            {Object.keys(attributes).length === 0 ? (
              <p class="soft">No attributes.</p>
            ) : (
              <Facts of={attributeWords(attributes)} />
            )}
            <Similar item={item} />
          </>
        )}
      </Answer>
    </Details>
  )
}

function Similar({ item }: { readonly item: string }) {
  const fetched = useFetch((signal) => api.similar(item, signal), [item])
  return (
    <>
      <h3>Similar items</h3>
      <Answer fetched={fetched} what="similar items">
        {({ items }) =>
          items.length === 0 ? (
            <p class="soft">No other items.</p>
          ) : (
            <Table
              label="Similar items"
              columns={['~Item', '#Similarity', '#Transitions', '#Embeddings']}
              rows={items.map(({ item: other, similarity, parts }) => ({
                key: other,
                cells: [
                  <ItemLink item={other} />,
                  fixed(similarity),
                  fixed(parts.memory),
                  fixed(parts.model),
                ],
              }))}
            />
          )
        }
      </Answer>
    </>
  )
}
