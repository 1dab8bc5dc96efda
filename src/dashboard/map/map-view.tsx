// The Map view: the catalog in the space of a model, with a user, their history and their slate
// on it.

import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import { named, SelectField } from '../parts/inputs.tsx'
import { Loaded, Loading, Panel, Refused } from '../parts/panel.tsx'
import { useFoundUser, UserPicker, type FoundUser } from '../parts/user-picker.tsx'
import { addressOf, replaceRoute, type ViewProps } from '../route.ts'
import { colorings, type ColoringName } from './coloring.ts'
import { ShownMap } from './shown-map.tsx'
import './map.css'

/** A constant reference, which avoids rendering again. */
const nothing: readonly never[] = []

export function MapView({ params }: ViewProps) {
  const found = useFoundUser(params['user'])
  return (
    <Loaded fetched={found} what="users">
      {(value) => <MapOf found={value} params={params} />}
    </Loaded>
  )
}

function MapOf({ found, params }: ViewProps & { readonly found: FoundUser }) {
  const known = useFetch(fetchAttributes, [])
  const attributes = known.value ?? nothing
  const names = Object.keys(colorings) as ColoringName[]
  const name = names.find((each) => each === params['color']) ?? 'uncertainty'
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
      <SelectField
        class="check"
        label="Color by"
        value={name}
        options={colorings}
        onChange={(color) => go({ color })}
      />
      {name === 'category' && attributes.length > 0 && (
        <SelectField
          class="check"
          label="Attribute"
          value={attribute}
          options={named(attributes)}
          onChange={(next) => go({ attribute: next })}
        />
      )}
      <a href={addressOf('why', { user: found.user, weight: 'own' })}>Why this slate</a>
    </div>
  )
}

const slateLength = 10

/** `attribute` is empty without categories. */
function useMapData(found: FoundUser, attribute: string) {
  const { user, info } = found
  const slate = useFetch(
    (signal) => api.recommend({ user, count: slateLength, record: false }, signal),
    [found],
  )
  const variant = slate.value?.variant
  const group = useFetch(
    async (signal) => (variant === undefined ? null : groupOf(variant, await api.model(signal))),
    [variant],
  )
  const name = group.value
  const items = useFetch(
    async (signal) => (name === null ? null : api.map({ group: name, attribute }, signal)),
    [name, attribute],
  )
  // The axes depend on all items, so the user embedding can be fetched alone; unknown users have none.
  const taste = useFetch(
    async (signal) =>
      name === null || info === null
        ? null
        : (await api.map({ group: name, user, limit: 1 }, signal)).user,
    [name, found],
  )
  return { slate, group, items, taste }
}

type Models = Awaited<ReturnType<typeof api.model>>

/** Each variant has its own model, or all share one. */
const groupOf = (variant: string, { versions }: Models): string =>
  versions.length === 1 ? versions[0]!.group : variant

/** Attributes of the first items; those with few values come first. */
async function fetchAttributes(signal: AbortSignal): Promise<readonly string[]> {
  const { entries } = await api.items({ limit: 200 }, signal)
  return attributesOf(entries.map(({ attributes }) => attributes))
}

export function attributesOf(all: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const values = new Map<string, Set<string>>()
  for (const [name, value] of all.flatMap((attributes) => Object.entries(attributes))) {
    values.set(name, (values.get(name) ?? new Set()).add(String(value)))
  }
  return [...values.keys()].toSorted((a, b) => values.get(a)!.size - values.get(b)!.size)
}
