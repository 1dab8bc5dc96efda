// The frame around every view: menu, connection, theme, and the prompt for a key.

import { render, type FunctionComponent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import { api } from './api/client.ts'
import { keyInUse, setKey } from './api/request.ts'
import { openStream, StreamContext, useConnection } from './api/stream.ts'
import { useAction } from './api/use-fetch.ts'
import { DataView } from './data/data-view.tsx'
import { ExperimentsView } from './experiments/experiments-view.tsx'
import { LiveView } from './live/live-view.tsx'
import { MapView } from './map/map-view.tsx'
import { OperationsView } from './operations/operations-view.tsx'
import { Form, TextBox, ThemeSwitch } from './parts/inputs.tsx'
import { Button } from './parts/panel.tsx'
import { addressOf, replaceRoute, useRoute, type ViewProps } from './route.ts'
import { WhyView } from './why/why-view.tsx'

function App() {
  const { view: name, params } = useRoute()
  const found = views.find((each) => each.name === name)
  const view = found ?? views[0]!
  const connection = useConnection()
  const main = useFocusOnChange(view)
  useEffect(() => {
    // The URL must match the shown view.
    if (!found && name !== '') replaceRoute(view.name, {})
  }, [found, name])
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skipTo(event, main.current)}>
        Skip to content
      </a>
      <header class="bar">
        <a class="brand" href={addressOf('live')}>
          <span class="mark" aria-hidden="true" /> REN
        </a>
        <Menu current={view} />
        <ThemeSwitch />
      </header>
      <div role="status" aria-live="polite">
        {connection === 'lost' && (
          <p class="banner">
            The connection to the service is lost. The page shows the last data and reconnects
            automatically.
          </p>
        )}
      </div>
      <main id="main" ref={main} tabIndex={-1} aria-label={view.title}>
        {connection === 'refused' ? <KeyPrompt /> : <view.component params={params} />}
      </main>
    </>
  )
}

function Menu({ current }: { readonly current: View }) {
  const menu = useRef<HTMLElement>(null)
  useEffect(() => {
    const entry = menu.current?.querySelector('[aria-current]')
    entry?.scrollIntoView({ inline: 'nearest', block: 'nearest' })
  }, [current])
  return (
    <nav aria-label="Views" ref={menu}>
      {views.map(({ name, title }) => (
        <a
          key={name}
          href={addressOf(name)}
          {...(name === current.name && { 'aria-current': 'page' as const })}
        >
          {title}
        </a>
      ))}
      <a href="/playground">Playground</a>
      <a href="/docs">API</a>
    </nav>
  )
}

/** Moves the focus to a new view, as after a page load, for screen readers. */
function useFocusOnChange(view: View) {
  const main = useRef<HTMLElement>(null)
  const shown = useRef(view)
  useEffect(() => {
    document.title = `${view.title} · REN`
    if (shown.current !== view) main.current?.focus({ preventScroll: true })
    shown.current = view
  }, [view])
  return main
}

// The hash selects the view, so the link must not change it.
function skipTo(event: Event, target: HTMLElement | null): void {
  event.preventDefault()
  target?.focus()
}

export function startApplication(): void {
  const page = document.querySelector('#page')!
  page.replaceChildren()
  render(
    <StreamContext.Provider value={openStream()}>
      <App />
    </StreamContext.Provider>,
    page,
  )
}

interface View {
  /** Its name in the URL. */
  readonly name: string
  readonly title: string
  readonly component: FunctionComponent<ViewProps>
}

const views: readonly View[] = [
  { name: 'live', title: 'Live', component: LiveView },
  { name: 'why', title: 'Why this item', component: WhyView },
  { name: 'map', title: 'Map', component: MapView },
  { name: 'experiments', title: 'Experiments', component: ExperimentsView },
  { name: 'data', title: 'Data', component: DataView },
  { name: 'operations', title: 'Operations', component: OperationsView },
]

const refusals: Readonly<Record<string, string>> = {
  'key-refused': 'The service refuses this key.',
  'scope-missing': 'This key does not have the scope admin.',
}

function KeyPrompt() {
  const [key, setTyped] = useState('')
  const { failure, act } = useAction()
  // The stream only reports that it was refused; a request reports why.
  const tryKey = (): void => void act(api.status())
  useEffect(() => {
    if (keyInUse() !== '') tryKey()
  }, [])
  return (
    <Form
      class="panel prompt"
      onSubmit={() => {
        setKey(key.trim())
        tryKey()
      }}
    >
      <h1>API key required</h1>
      <p>
        Enter a key with the scope <code>admin</code>. <code>ren key create</code> creates one. This
        tab stores the key until you close it.
      </p>
      {failure && (
        <p role="alert" class="error">
          {refusals[failure.code] ?? failure.message}
        </p>
      )}
      <label class="stack">
        Key
        <TextBox type="password" placeholder="ren_…" value={key} onChange={setTyped} />
      </label>
      <Button type="submit" label="Use this key" disabled={key.trim() === ''} />
    </Form>
  )
}
