import { describe, expect, it } from 'vitest'

import { createProgressLine, createStatusLine, timeLeft } from './status-line.ts'

const progress = {
  epoch: 2,
  epochs: 4,
  step: 1,
  steps: 2,
  loss: 1.23456,
  eventsPerSecond: 12_345.6,
  secondsLeft: 3785,
}

function watch(isTTY: boolean) {
  let [text, now] = ['', 0]
  const stream = { isTTY, write: (more: string) => (text += more) !== '' }
  const line = createProgressLine(
    'Recall@20',
    createStatusLine(stream, () => now),
  )
  return { line, pass: (ms: number) => (now += ms), text: () => text }
}

describe('the progress line', () => {
  it('shows percent, loss, speed and time left', () => {
    const { line, pass, text } = watch(false)
    pass(5000)
    line.show(progress)
    expect(text()).toBe(' 37%  epoch 2 of 4  loss 1.2346  12,346 events/s  1:03:05 left\n')
  })

  it('is printed every five seconds and at validations outside of a terminal', () => {
    const { line, pass, text } = watch(false)
    for (let ms = 0; ms < 20_000; ms += 100) {
      pass(100)
      line.show(progress)
    }
    expect(text().split('\n')).toHaveLength(5)
    line.show({ ...progress, validation: 0.5 })
    expect(text()).toMatch(/Recall@20 0\.5000\n$/)
  })

  it('is rewritten in place on a terminal and ends with one line break', () => {
    const { line, pass, text } = watch(true)
    pass(100)
    line.show(progress)
    pass(100)
    line.show(progress)
    expect(text().match(/\r/g)).toHaveLength(2)
    expect(text()).not.toContain('\n')
    line.end()
    line.end()
    expect(text().match(/\n/g)).toHaveLength(1)
  })
})

function shown(isTTY: boolean, share?: number): string {
  let [text, now] = ['', 0]
  const stream = { isTTY, write: (more: string) => (text += more) !== '' }
  const line = createStatusLine(stream, () => now)
  now = 5000
  line.show(() => 'half', share)
  return text
}

describe('a status line', () => {
  it('has a bar only on a terminal', () => {
    expect(shown(true, 0.5)).toBe('\r\u001b[K██████████░░░░░░░░░░ half')
    expect(shown(false, 0.5)).toBe('half\n')
    expect(shown(true)).toBe('\r\u001b[Khalf')
  })

  it('limits its bar to its width for any share', () => {
    expect(shown(true, 2)).toContain(`${'█'.repeat(20)} half`)
    expect(shown(true, -1)).toContain(`${'░'.repeat(20)} half`)
  })
})

describe('the time left', () => {
  it('assumes the speed so far', () => {
    expect(timeLeft(0.25, 10_000)).toBe('0:30 left')
    expect(timeLeft(1, 10_000)).toBe('0:00 left')
  })

  it('is empty if nothing is done', () => expect(timeLeft(0, 10_000)).toBe(''))
})
