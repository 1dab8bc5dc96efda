// Every example runs to its end.

import { expect, it } from 'vitest'
import { filesOf, run } from '../scripts/checkout.ts'

const examples = filesOf('examples', '*.ts')

it('there are some', () => expect(examples.length).toBeGreaterThan(0))

it.each(examples)('%s runs', (file) => {
  expect(run('node', [`examples/${file}`])).not.toBe('')
})
