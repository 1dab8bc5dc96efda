// The first that the page loads: without any library it asks for the figures of the view Live, and
// writes them where the application is going to. The application comes after it.

import type { Status } from '../service/index.ts'
import { askFirst } from './api/first-questions.ts'
import { tilesOf } from './live/tiles.ts'
import { storedTheme, wear } from './theme.ts'
import './theme.css'
import './parts.css'
import './live/live.css'

wear(storedTheme())
// Where it is refused, the application has the words for it.
const shown = Promise.resolve(askFirst(location.hash)?.then(show, () => {}))
// The application would take from the figures the very time in which they come.
void shown
  .then(() => import('./application.tsx'))
  .then(({ startApplication }) => startApplication())

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

function element(tag: 'dt' | 'dd', text: string): HTMLElement {
  const made = document.createElement(tag)
  made.textContent = text
  return made
}
