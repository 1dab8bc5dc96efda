// One item: attributes, feedback and similar items.

import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import { useLabel } from '../api/use-label.ts'
import { count, fixed, percent } from '../format.ts'
import { Facts } from '../parts/facts.tsx'
import { Answer } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { addressOf } from '../route.ts'
import { ItemLink } from '../parts/item-name.tsx'
import { attributeWords } from '../parts/attribute-text.ts'
import { Details } from './details.tsx'

export function ItemDetails({ item }: { readonly item: string }) {
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
