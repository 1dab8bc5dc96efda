// The first script of the page: without any library, it requests the figures of the Live view and
// shows them in the place where the application will. The application loads afterwards.

import type { Status } from '../service/index.ts'
import { sendFirstRequests } from './api/request.ts'
import { tilesOf } from './live/tiles.ts'
import { storedTheme, applyTheme } from './theme.ts'
import './theme.css'
import './parts.css'
import './live/live.css'

applyTheme(storedTheme())
// The application reports failures.
const shown = Promise.resolve(sendFirstRequests(location.hash)?.then(show, () => {}))
// Loading the application earlier would delay the figures.
void shown.then(() => import('./app.tsx')).then(({ startApplication }) => startApplication())

function show(status: Status): void {
  const place = document.querySelector('#first-figures')
  place?.append(
    ...Object.entries(tilesOf(status, null)).map(([name, value]) => {
      const tile = document.createElement('div')
      tile.append(element('dt', name), element('dd', value))
      return tile
    }),
  )
}

const element = (tag: 'dt' | 'dd', textContent: string): HTMLElement =>
  Object.assign(document.createElement(tag), { textContent })
