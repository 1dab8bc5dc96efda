// Runs the curl commands of the README against `ren serve --no-demo`.

import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { checkout } from '../scripts/checkout.ts'
import { startServing, stopServing } from './serving.ts'
import { temporaryFiles } from './temporary-files.ts'

const { folder } = temporaryFiles()
const readme = readFileSync(join(checkout, 'README.md'), 'utf8')

describe('the curl commands in the README', () => {
  it('run in order, without changes', async () => {
    const serving = await startServing(['--no-demo'], { cwd: folder })
    const [, lines] = /^```sh\n([\s\S]*?)^```/m.exec(readme)!
    expect(lines).toContain('localhost:7700')
    const script = lines!.replaceAll('localhost:7700', serving.address)
    // Prints one line per response and no progress meter, without changing the commands.
    writeFileSync(join(folder, '.curlrc'), 'silent\nwrite-out = "\\n"\n')
    const env = { ...process.env, CURL_HOME: folder }
    const { stdout } = await promisify(execFile)('bash', ['-euc', script], { env })
    await stopServing(serving)

    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(answers).toHaveLength(5)
    expect(lines!.match(/^curl /gm)).toHaveLength(5)
    for (const answer of answers) expect(answer).not.toHaveProperty('error')
    const [, first, recorded, filtered] = answers
    expect(first).toMatchObject({ complete: true, items: [{}, {}] })
    expect(recorded).toMatchObject({ accepted: 1, rejected: [] })
    const names = (filtered as { items: { item: string }[] }).items.map(({ item }) => item)
    expect(names.toSorted()).toEqual(['cocoa', 'tea'])
  })
})
