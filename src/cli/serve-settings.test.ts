import { Command } from 'commander'
import { expect, it } from 'vitest'

import { serviceSettings } from './serve-settings.ts'
import { addServe } from './serve.ts'
import type { ServeOptions } from './serve.ts'

/** The options that `ren serve` makes of these arguments. */
function parse(...args: string[]): ServeOptions {
  const program = new Command()
  addServe(program)
  const [serve] = program.commands
  serve!.action(() => {})
  program.parse(['serve', ...args], { from: 'user' })
  return serve!.opts<ServeOptions>()
}

it.each([
  [[], 'ren'],
  [['--seed', '7'], '7'],
])('reads the seed from %j', async (args, seed) => {
  expect(await serviceSettings(parse(...args), () => {})).toMatchObject({ seed })
})

it.each([
  [[], 'auto'],
  [['--exclude-seen', 'shown'], 'shown'],
  [['--exclude-seen', 'true'], true],
  [['--exclude-seen', 'false'], false],
])('reads excludeSeen from %j', async (args, excludeSeen) => {
  expect(await serviceSettings(parse(...args), () => {})).toMatchObject({ excludeSeen })
})
