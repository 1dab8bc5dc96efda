// A map with its legend, and the lists of the items that are marked on it. Pointing at or focusing an entry
// of a list highlights the item on the map.

import { useMemo, useState } from 'preact/hooks'

import type { ItemMap } from '../../service/index.ts'
import { count, figure, percent } from '../format.ts'
import { ItemName } from '../parts/items.tsx'
import { Empty, Panel } from '../parts/panel.tsx'
import type { FoundUser } from '../parts/user-picker.tsx'
import { coloringOf, shadeColors, type ColoringName, type Legend } from './coloring.ts'
import { MapCanvas } from './map-canvas.tsx'
import { MarkSign, marksOf } from './marks.tsx'

interface ShownMapProps {
  readonly map: ItemMap
  readonly color: ColoringName
  readonly attribute: string
  readonly found: FoundUser
  readonly taste: ItemMap['user']
  readonly slate: readonly { readonly item: string; readonly score: number }[]
}

/** A constant reference, which avoids rendering again. */
const nothing: readonly never[] = []

export function ShownMap({ map, color, attribute, found, taste, slate }: ShownMapProps) {
  const [focus, onFocus] = useState<string | null>(null)
  // A map has categories only if it was requested with an attribute; that response may not be here yet.
  const name = color === 'category' && map.category === null ? 'uncertainty' : color
  const points = useMemo(() => pointsOf(map), [map])
  const placeOf = useMemo(() => new Map(map.items.map((item, i) => [item, i])), [map])
  const coloring = useMemo(() => coloringOf(name, map, attribute), [map, name, attribute])
  const history = found.info?.history ?? nothing
  const marks = useMemo(
    () => marksOf(points, placeOf, { history, slate, taste, focus }),
    [points, slate, history, taste, focus],
  )
  if (map.count === 0) {
    return (
      <Panel title="No items yet" class="wide">
        <Empty>The catalog is empty. Add items to see a map.</Empty>
      </Panel>
    )
  }
  const title = `${count(map.items.length)} items`
  return (
    <>
      <Panel title={title} note={<Source map={map} />}>
        <MapCanvas
          description={`Map of ${title} with the slate and the history of ${found.user}.`}
          {...{ points, coloring, marks }}
          describe={(index) => <About map={map} index={index} attribute={attribute} />}
        />
        <MapLegend legend={coloring.legend} hasTaste={taste !== null} />
      </Panel>
      <MarkedLists {...{ found, slate, history, onFocus }} isOnMap={(item) => placeOf.has(item)} />
    </>
  )
}

/** The second axis of the item map points upwards. */
const pointsOf = ({ x, y }: ItemMap) => ({
  x: Float32Array.from(x),
  y: Float32Array.from(y, (up) => -up),
})

function Source({ map }: Pick<ShownMapProps, 'map'>) {
  const { group, modelVersion, basis, variance, items, count: all } = map
  return (
    <>
      {items.length < all && `a sample of ${count(all)}; `}
      {basis === 'model' ? 'model' : 'transition memory of'} <code>{group}</code>, version{' '}
      {modelVersion}; the axes show {percent(variance[0])} and {percent(variance[1])} of the
      variance of its {basis === 'model' ? 'embeddings' : 'factors'}
    </>
  )
}

type AboutProps = Pick<ShownMapProps, 'map' | 'attribute'> & { readonly index: number }

function About({ map, index, attribute }: AboutProps) {
  const kind = map.category?.[index] ?? null
  return (
    <>
      <b>
        <ItemName item={map.items[index]!} hasId />
      </b>
      {kind !== null && (
        <span>
          {attribute} {kind}
        </span>
      )}
      <span>shown {count(map.impressions[index] ?? 0)} times</span>
      <span>uncertainty {figure(map.uncertainty[index] ?? 0)}</span>
    </>
  )
}

interface MapLegendProps {
  readonly legend: Legend
  /** Whether the user embedding is on the map. */
  readonly hasTaste: boolean
}

const MapLegend = ({ legend, hasTaste }: MapLegendProps) => (
  <div class="map-legend">
    {legend.kind === 'scale' ? (
      <div class="map-scale">
        <span class="soft">{legend.title}</span>
        <div
          aria-hidden="true"
          style={{ background: `linear-gradient(to right, ${shadesOf(legend.ticks)})` }}
        />
        <span class="map-ticks">
          {legend.ticks.map((tick, i) => (
            <span key={i}>{tick}</span>
          ))}
        </span>
      </div>
    ) : (
      <ul aria-label={legend.title}>
        {legend.entries.map(({ text, color }) => (
          <li key={text}>
            <i style={{ background: color }} aria-hidden="true" />
            {text}
          </li>
        ))}
      </ul>
    )}
    <MarkLegend hasTaste={hasTaste} />
  </div>
)

/** A scale of one value has one color, but a gradient needs two. */
const shadesOf = ({ length }: readonly string[]): string =>
  (length === 1 ? [shadeColors[0], shadeColors[0]] : shadeColors).join(', ')

const MarkLegend = ({ hasTaste }: Pick<MapLegendProps, 'hasTaste'>) => (
  <ul aria-label="Marks">
    <li>
      <MarkSign kind="slate" label="1" />
      slate, by rank
    </li>
    <li>
      <MarkSign kind="history" />
      history
    </li>
    {hasTaste && (
      <li>
        <MarkSign kind="taste" />
        user embedding; at the edge if it is outside
      </li>
    )}
  </ul>
)

interface MarkedListsProps extends Pick<ShownMapProps, 'found' | 'slate'> {
  readonly history: readonly { readonly item: string; readonly reward: number }[]
  /** False for items outside the sample of the catalog. */
  isOnMap(item: string): boolean
  onFocus(item: string | null): void
}

const MarkedLists = ({ found: { user, info }, slate, history, ...shared }: MarkedListsProps) => (
  <div class="side">
    <MarkedList
      {...shared}
      title="Slate"
      order="as served now"
      entries={slate.map(({ item, score }) => ({ item, about: `score ${figure(score)}` }))}
      empty="The slate is empty."
    />
    <MarkedList
      {...shared}
      title="History"
      order="newest first"
      entries={history.map(({ item, reward }) => ({ item, about: `reward ${figure(reward)}` }))}
      empty={info ? `${user} has no interactions yet.` : `${user} is a new user.`}
    />
  </div>
)

interface MarkedListProps extends Pick<MarkedListsProps, 'isOnMap' | 'onFocus'> {
  readonly title: string
  readonly order: string
  readonly entries: readonly { readonly item: string; readonly about: string }[]
  readonly empty: string
}

const MarkedList = ({ title, order, entries, empty, isOnMap, onFocus }: MarkedListProps) => (
  <Panel title={title} note={order} class="map-list">
    {entries.length === 0 ? (
      <Empty>{empty}</Empty>
    ) : (
      <ol onPointerLeave={() => onFocus(null)}>
        {entries.map(({ item, about }, i) => (
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
                {!isOnMap(item) && <span class="soft"> (not in the sample)</span>}
              </span>
              <span class="soft">{about}</span>
            </button>
          </li>
        ))}
      </ol>
    )}
  </Panel>
)
