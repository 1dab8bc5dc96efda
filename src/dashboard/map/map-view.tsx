// The Map view: the catalog in the space of a model, with a user, their history and their slate
// on it.

import { named, Select } from '../parts/inputs.tsx'
import { Panel } from '../parts/panel.tsx'
import { Answer, Loading, Refused } from '../parts/states.tsx'
import { addressOf, replaceRoute } from '../route.ts'
import type { ViewProps } from '../views.ts'
import { useFoundUser } from '../parts/find-user.ts'
import type { FoundUser } from '../parts/find-user.ts'
import { UserPicker } from '../parts/user-picker.tsx'
import { colorings } from './coloring.ts'
import type { ColoringName } from './coloring.ts'
import { ShownMap } from './shown-map.tsx'
import { useAttributes, useMapData } from './use-map-data.ts'
import './map.css'

const coloringTitles: Readonly<Record<ColoringName, string>> = {
  uncertainty: 'uncertainty',
  impressions: 'impressions',
  category: 'an attribute',
}

/** A constant reference, which avoids rendering again. */
const nothing: readonly never[] = []

export function MapView({ params }: ViewProps) {
  const found = useFoundUser(params['user'])
  return (
    <Answer fetched={found} what="users">
      {(value) => <MapOf found={value} params={params} />}
    </Answer>
  )
}

function MapOf({ found, params }: ViewProps & { readonly found: FoundUser }) {
  const known = useAttributes()
  const attributes = known.value ?? nothing
  const name = colorings.find((each) => each === params['color']) ?? 'uncertainty'
  const attribute = params['attribute'] ?? attributes[0] ?? ''
  const fetched = useMapData(found, name === 'category' ? attribute : '')
  const { slate, items, taste } = fetched
  const failed = [known, ...Object.values(fetched)].find(({ failure }) => failure !== null)
  return (
    <div class="with-side">
      <Panel title="Map of the catalog" class="wide">
        <Controls {...{ found, params, name, attribute, attributes }} />
      </Panel>
      {failed && <Refused failure={failed.failure!} retry={failed.refresh} />}
      {items.value ? (
        <ShownMap
          map={items.value}
          color={name}
          {...{ attribute, found }}
          taste={taste.value}
          slate={slate.value?.items ?? nothing}
        />
      ) : (
        !failed && <Loading what="the map" />
      )}
    </div>
  )
}

interface ControlsProps extends ViewProps {
  readonly found: FoundUser
  readonly name: ColoringName
  readonly attribute: string
  readonly attributes: readonly string[]
}

function Controls({ found, params, name, attribute, attributes }: ControlsProps) {
  const go = (change: Readonly<Record<string, string>>): void =>
    replaceRoute('map', { ...params, user: params['user'] ?? found.user, ...change })
  return (
    <div class="row">
      <UserPicker user={found.user} onPick={(user) => go({ user })} />
      <label class="check">
        Color by
        <Select value={name} options={coloringTitles} onChange={(color) => go({ color })} />
      </label>
      {name === 'category' && attributes.length > 0 && (
        <label class="check">
          Attribute
          <Select
            value={attribute}
            options={named(attributes)}
            onChange={(next) => go({ attribute: next })}
          />
        </label>
      )}
      <a href={addressOf('why', { user: found.user, weight: 'own' })}>Why this slate</a>
    </div>
  )
}
