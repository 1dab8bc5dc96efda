// A map with its marks and legend, and the lists of marked items.

import { useMemo, useState } from 'preact/hooks'

import type { ItemMap } from '../../service/index.ts'
import { count, figure, percent } from '../format.ts'
import { ItemName } from '../parts/item-name.tsx'
import { Panel } from '../parts/panel.tsx'
import { Empty } from '../parts/states.tsx'
import type { FoundUser } from '../parts/find-user.ts'
import { coloringOf } from './coloring.ts'
import type { ColoringName } from './coloring.ts'
import { MapCanvas } from './map-canvas.tsx'
import { MapLegend } from './map-legend.tsx'
import { MarkedLists } from './map-lists.tsx'
import { marksOf } from './marks-of.ts'

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
    () => marksOf(map, placeOf, { history, slate, taste, focus }),
    [map, slate, history, taste, focus],
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
      <Panel title={title} aside={<Source map={map} />}>
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

const pointsOf = ({ x, y }: ItemMap) => ({ x: Float32Array.from(x), y: Float32Array.from(y) })

function Source({
  map: { group, modelVersion, basis, variance, items, count: all },
}: {
  readonly map: ItemMap
}) {
  return (
    <span class="soft small">
      {items.length < all && `a sample of ${count(all)}; `}
      {basis === 'model' ? 'model' : 'transition memory of'} <code>{group}</code>, version{' '}
      {modelVersion}; the axes show {percent(variance[0])} and {percent(variance[1])} of the
      variance of its {basis === 'model' ? 'embeddings' : 'factors'}
    </span>
  )
}

interface AboutProps {
  readonly map: ItemMap
  readonly index: number
  readonly attribute: string
}

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
