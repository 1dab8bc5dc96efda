// The view Map: the catalogue as a model sees it, and where a user, their history and their slate are
// on it.

import { named, Select } from '../parts/inputs.tsx'
import { Panel } from '../parts/panel.tsx'
import { Answer, Loading, Refused } from '../parts/states.tsx'
import { addressOf, replaceRoute } from '../route.ts'
import type { ViewProps } from '../views.ts'
import { useFoundUser } from '../parts/find-user.ts'
import type { FoundUser } from '../parts/find-user.ts'
import { UserPicker } from '../parts/user-picker.tsx'
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
  const known = useAttributes()
  const attributes = known.value ?? nothing
  const name = colourings.find((each) => each === params['colour']) ?? 'uncertainty'
  const attribute = params['attribute'] ?? attributes[0] ?? ''
  const asked = useMapData(found, name === 'category' ? attribute : '')
  const { slate, items, taste } = asked
  const failed = [known, ...Object.values(asked)].find(({ failure }) => failure !== null)
  return (
    <div class="with-side">
      <Panel title="Map of the catalogue" class="wide">
        <Controls {...{ found, params, name, attribute, attributes }} />
      </Panel>
      {failed && <Refused failure={failed.failure!} retry={failed.refresh} />}
      {items.value ? (
        <ShownMap
          map={items.value}
          colour={name}
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
  readonly name: ColouringName
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
  )
}
