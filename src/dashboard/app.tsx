// The frame around every view: menu, connection, theme, and the prompt for a key.

import { useEffect, useRef } from 'preact/hooks'

import { useStream } from './api/use-stream.ts'
import { ConnectionBanner } from './parts/connection.tsx'
import { KeyPrompt } from './parts/key-prompt.tsx'
import { ThemeSwitch } from './parts/theme-switch.tsx'
import { addressOf, replaceRoute, useRoute } from './route.ts'
import { views } from './views.ts'
import type { View } from './views.ts'

export function App() {
  const { view: name, params } = useRoute()
  const found = views.find((each) => each.name === name)
  const view = found ?? views[0]!
  const { connection } = useStream()
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
      <ConnectionBanner connection={connection} />
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
