// Lists of the items that are marked on the map. Pointing at or focusing an entry highlights it on the
// map.

import { figure } from '../format.ts'
import { ItemName } from '../parts/item-name.tsx'
import { Panel } from '../parts/panel.tsx'
import { Empty } from '../parts/states.tsx'
import type { FoundUser } from '../parts/find-user.ts'

interface MarkedListsProps {
  readonly found: FoundUser
  readonly slate: readonly { readonly item: string; readonly score: number }[]
  readonly history: readonly { readonly item: string; readonly reward: number }[]
  /** False for items outside the sample of the catalog. */
  isOnMap(item: string): boolean
  onFocus(item: string | null): void
}

export function MarkedLists({ found, slate, history, isOnMap, onFocus }: MarkedListsProps) {
  const { user, info } = found
  const listed = (item: string, about: string) => ({ item, about, isOnMap: isOnMap(item) })
  return (
    <div class="side">
      <MarkedList
        title="Slate"
        order="as served now"
        entries={slate.map(({ item, score }) => listed(item, `score ${figure(score)}`))}
        empty="The slate is empty."
        onFocus={onFocus}
      />
      <MarkedList
        title="History"
        order="newest first"
        entries={history.map(({ item, reward }) => listed(item, `reward ${figure(reward)}`))}
        empty={info ? `${user} has no interactions yet.` : `${user} is a new user.`}
        onFocus={onFocus}
      />
    </div>
  )
}

interface MarkedListProps {
  readonly title: string
  readonly order: string
  readonly entries: readonly {
    readonly item: string
    readonly about: string
    readonly isOnMap: boolean
  }[]
  readonly empty: string
  onFocus(item: string | null): void
}

function MarkedList({ title, order, entries, empty, onFocus }: MarkedListProps) {
  return (
    <Panel title={title} aside={<span class="soft small">{order}</span>} class="map-list">
      {entries.length === 0 ? (
        <Empty>{empty}</Empty>
      ) : (
        <ol onPointerLeave={() => onFocus(null)}>
          {entries.map(({ item, about, isOnMap }, i) => (
            <li key={i}>
              <button
                type="button"
                onFocus={() => onFocus(item)}
                onBlur={() => onFocus(null)}
                onPointerEnter={() => onFocus(item)}
              >
                <span class="soft">{i + 1}</span>
                <span>
                  <ItemName item={item} />
                  {!isOnMap && <span class="soft"> (not in the sample)</span>}
                </span>
                <span class="soft">{about}</span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}
