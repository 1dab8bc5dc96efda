import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createEventParser } from './stream.ts'

type Received = readonly [kind: string, data: string]

function parsed(pieces: readonly string[]): Received[] {
  const received: Received[] = []
  const parse = createEventParser((kind, data) => received.push([kind, data]))
  for (const piece of pieces) parse(piece)
  return received
}

function cut(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((at) => at % (text.length + 1)), text.length]
  const inOrder = places.toSorted((a, b) => a - b)
  return inOrder.slice(1).map((end, i) => text.slice(inOrder[i], end))
}

const kind = fc.stringMatching(/^[a-z]{1,8}$/)
const events = fc.array(fc.tuple(kind, fc.json()), { maxLength: 8 })

describe('createEventParser', () => {
  it('emits every event once and in order, however the text is split', () => {
    fc.assert(
      fc.property(events, fc.array(fc.nat(), { maxLength: 12 }), (sent, cuts) => {
        const text = sent.map(([name, data], i) => `id: ${i}\nevent: ${name}\ndata: ${data}\n\n`)
        expect(parsed(cut(text.join(''), cuts))).toEqual(sent)
      }),
    )
  })

  it('waits for complete events and skips comments', () => {
    expect(parsed([': alive\n\nevent: a\nda', 'ta: 1\n'])).toEqual([])
    expect(parsed([': alive\n\nevent: a\nda', 'ta: 1\n', '\n'])).toEqual([['a', '1']])
    expect(parsed(['data: 1\n\nevent: a\n\n'])).toEqual([])
  })
})
