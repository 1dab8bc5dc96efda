// Starts the playground.

import { render } from 'preact'

import { Playground } from './playground.tsx'
import '../theme.css'
import '../parts.css'
import './playground.css'

render(<Playground />, document.querySelector('#page')!)
