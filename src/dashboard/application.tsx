// Renders the application, which replaces the first figures.

import { render } from 'preact'

import { openStream } from './api/stream.ts'
import { StreamContext } from './api/use-stream.ts'
import { App } from './app.tsx'

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
