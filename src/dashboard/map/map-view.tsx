// The view Map: the catalogue as a model sees it, and where a user, their history and their slate are
// on it.

import { named, Select } from '../parts/inputs.tsx'
import { Panel } from '../parts/panel.tsx'
import { Answer, Loading, Refused } from '../parts/states.tsx'
import { addressOf, replaceRoute } from '../route.ts'
import type { ViewProps } from '../views.ts'
import { useFoundUser } from '../why/find-user.ts'
import type { FoundUser } from '../why/find-user.ts'
import { UserPicker } from '../why/user-picker.tsx'
import { colourings } from './colouring.ts'
import type { ColouringName } from './colouring.ts'
import { ShownMap } from './shown-map.tsx'
import { useAttributes, useMapData } from './use-map-data.ts'
import './map.css'

const colouringTitles: Readonly<Record<ColouringName, string>> = {
  uncertainty: 'uncertainty',
  impressions: 'impressions',
  category: 'an attribute',
}

/** Always the same, so that nothing is drawn anew for it. */
const nothing: readonly never[] = []

export function MapView({ params }: ViewProps) {
  const found = useFoundUser(params['user'])
  return (
    <Answer asked={found} what="users">
      {(value) => <MapOf found={value} params={params} />}
    </Answer>
  )
}

function MapOf({ found, params }: ViewProps & { readonly found: FoundUser }) {
  const attributes = useAttributes()
  const name = colourings.find((each) => each === params['colour']) ?? 'uncertainty'
  const attribute = params['attribute'] ?? attributes[0] ?? ''
  const { slate, items, taste } = useMapData(found, name === 'category' ? attribute : '')
  const go = (change: Readonly<Record<string, string>>): void =>
    replaceRoute('map', { ...params, user: params['user'] ?? found.user, ...change })
  const slateItems = slate.value?.answer.items ?? nothing
  return (
    <div class="with-side">
      <Panel title="Map of the catalogue" class="wide">
        <div class="row">
          <UserPicker user={found.user} onPick={(user) => go({ user })} />
          <label class="check">
            Colour by
            <Select value={name} options={colouringTitles} onChange={(colour) => go({ colour })} />
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
      </Panel>
      {items.failure && <Refused failure={items.failure} retry={items.refresh} />}
      {slate.failure && <Refused failure={slate.failure} retry={slate.refresh} />}
      {items.value ? (
        <ShownMap
          map={items.value}
          colour={name}
          {...{ attribute, found, taste }}
          slate={slateItems}
        />
      ) : (
        !items.failure && !slate.failure && <Loading what="the map" />
      )}
    </div>
  )
}
