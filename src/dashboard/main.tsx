// Starts the page.

import { render } from 'preact'

import { askFirst } from './api/first-questions.ts'
import { openStream } from './api/stream.ts'
import { StreamContext } from './api/use-stream.ts'
import { App } from './app.tsx'
import './theme.css'

askFirst(location.hash)
render(
  <StreamContext.Provider value={openStream()}>
    <App />
  </StreamContext.Provider>,
  document.querySelector('#page')!,
)
