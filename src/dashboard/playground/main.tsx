// Starts the playground.

import { render } from 'preact'

import '../theme.css'

render(<main>Nothing here yet.</main>, document.querySelector('#page')!)
