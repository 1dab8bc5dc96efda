// The attributes of an item, and similar items.

import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import { attributeWords } from '../parts/attribute-text.ts'
import { count, fixed } from '../format.ts'
import { Facts } from '../parts/facts.tsx'
import { ItemLink, separator } from '../parts/item-name.tsx'
import { Because, formatParts, partNames, PartsBar } from '../parts/relevance-parts.tsx'
import { Answer } from '../parts/states.tsx'
import type { SlateItem } from './terms.ts'

const mostSimilar = 5

export function ItemFacts({ item: { item, parts, because } }: { readonly item: SlateItem }) {
  const fetched = useFetch(
    (signal) => Promise.all([api.item(item, signal), api.similar(item, signal)]),
    [item],
  )
  return (
    <div class="why-details">
      {parts && (
        <div class="why-parts">
          <span class="soft">Relevance: </span>
          {formatParts({ parts, names: partNames })} <Because {...(because && { because })} />
          <PartsBar {...{ parts }} names={partNames} />
        </div>
      )}
      <Answer fetched={fetched} what="the item">
        {([{ attributes, impressions, takes }, { items }]) => (
          <>
            <Facts
              of={{
                ...attributeWords(attributes),
                shown: `${count(impressions)} times`,
                taken: `${count(takes)} times`,
              }}
            />
            <p>
              <span class="soft">Similar: </span>
              {items.length === 0 && 'nothing'}
              {items.slice(0, mostSimilar).map((like, i) => (
                <span key={like.item}>
                  {i > 0 && separator}
                  <ItemLink item={like.item} /> ({fixed(like.similarity, 2)})
                </span>
              ))}
            </p>
          </>
        )}
      </Answer>
    </div>
  )
}
