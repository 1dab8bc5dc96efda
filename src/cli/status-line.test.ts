import { describe, expect, it } from 'vitest'

import { createStatusLine, timeLeft } from './status-line.ts'

function shown(isTTY: boolean, share?: number): string {
  let [text, now] = ['', 0]
  const stream = { isTTY, write: (more: string) => (text += more) !== '' }
  const line = createStatusLine(stream, () => now)
  now = 5000
  line.show(() => 'half', share)
  return text
}

describe('a status line', () => {
  it('has a bar on a terminal, and is plain elsewhere', () => {
    expect(shown(true, 0.5)).toBe('\r\u001b[K██████████░░░░░░░░░░ half')
    expect(shown(false, 0.5)).toBe('half\n')
    expect(shown(true)).toBe('\r\u001b[Khalf')
  })

  it('keeps its bar within its width, whatever the share', () => {
    expect(shown(true, 2)).toContain(`${'█'.repeat(20)} half`)
    expect(shown(true, -1)).toContain(`${'░'.repeat(20)} half`)
  })
})

describe('the time left', () => {
  it('is as long as what is done has taken, for each part of the rest', () => {
    expect(timeLeft(0.25, 10_000)).toBe('0:30 left')
    expect(timeLeft(1, 10_000)).toBe('0:00 left')
  })

  it('is not known of nothing', () => expect(timeLeft(0, 10_000)).toBe(''))
})
