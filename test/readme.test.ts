// The lines of curl in the README, typed into a shell beside `ren serve --no-demo`, as a newcomer would.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { checkout } from '../scripts/checkout.ts'
import { startServing, stopServing } from './serving.ts'
import { temporaryFiles } from './temporary-files.ts'

const { folder } = temporaryFiles()
const readme = readFileSync(join(checkout, 'README.md'), 'utf8')

describe('the lines of curl in the README', () => {
  it('work as they stand, one after the other', async () => {
    const serving = await startServing(['--no-demo'], { cwd: folder })
    const [, lines] = /^```sh\n([\s\S]*?)^```/m.exec(readme)!
    expect(lines).toContain('http://127.0.0.1:7700')
    const script = lines!.replaceAll('http://127.0.0.1:7700', serving.address)
    const { stdout } = await promisify(execFile)('bash', ['-euc', script])
    await stopServing(serving)

    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(answers).toHaveLength(lines!.match(/^ask \w/gm)!.length)
    for (const answer of answers) expect(answer).not.toHaveProperty('error')
    const [, first, told, filtered] = answers
    expect(first).toMatchObject({ complete: true, items: [{}, {}] })
    expect(told).toMatchObject({ accepted: 1, rejected: [] })
    const names = (filtered as { items: { item: string }[] }).items.map(({ item }) => item)
    expect(names.toSorted()).toEqual(['cocoa', 'tea'])
  })
})
