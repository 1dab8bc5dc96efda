import { describe, expect, it, vi } from 'vitest'

import type { Service } from '../service/index.ts'
import { createServeReport } from './serve-report.ts'

const service = {
  health: () => ({ items: 28, users: 0, position: 1 }),
  model: { current: () => [{ group: 'REN 1', version: 0 }] },
} as unknown as Service
const address = 'http://127.0.0.1:7700'
const plan = { store: './data/demo.db', demo: true, why: 'a reason' }

/** What is printed at the start. */
function printed(hasPage: boolean, json?: true): string {
  const said: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void said.push(text))
  const report = createServeReport(json ? { json } : {})
  report.started({ address, service, plan, hasPage, needsKey: false })
  log.mockRestore()
  return said.join('\n')
}

describe('the start message of ren serve', () => {
  it('starts with the address and says that the demo is simulated and temporary', () => {
    const lines = printed(true).split('\n')
    expect(lines[0]).toBe(`open     ${address}`)
    expect(lines[1]).toMatch(/^runs {5}a demo: simulated users .* \(a reason\)$/)
    expect(lines[2]).toMatch(/^store {4}\.\/data\/demo\.db, created again at each start: 28 items,/)
  })

  it('says how to build the page if it is missing', () => {
    expect(printed(false).split('\n')[1]).toMatch(/^page {5}not built yet; run npm run build:page/)
    expect(printed(true)).not.toContain('build:page')
  })

  it('is also available as JSON', () => {
    expect(JSON.parse(printed(false, true))).toMatchObject({
      kind: 'started',
      address,
      page: false,
      ...plan,
      items: 28,
    })
  })
})
