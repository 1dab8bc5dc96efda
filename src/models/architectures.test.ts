import { describe, expect, it } from 'vitest'
import { architectures, createArchitecture, modelNames } from './architectures.ts'

const refused = (message: string) =>
  expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(message) })

describe.each(modelNames)('the architecture %s', (name) => {
  it('can be rebuilt from its description, which is plain JSON', () => {
    const { description } = architectures[name]({ dimension: 12, window: 7 })
    expect(description).toMatchObject({ model: name, dimension: 12, window: 7 })
    const read = JSON.parse(JSON.stringify(description)) as typeof description
    const again = createArchitecture(read)
    expect(again.description).toEqual(description)
    expect([again.dimension, again.window]).toEqual([12, 7])
  })

  it.each([0, -1, 1.5, Number.NaN, 2 ** 40, '8', null])('refuses a size of %j', (size) => {
    for (const option of ['dimension', 'window']) {
      expect(() => createArchitecture({ model: name, [option]: size })).toThrow(
        refused(`${option} must be an integer of at least 1`),
      )
    }
  })

  it('refuses an unknown option and lists the known ones', () => {
    const described = { model: name, dimnesion: 12 }
    expect(() => createArchitecture(described)).toThrow(
      refused(`${name} has no setting dimnesion; it has dimension`),
    )
  })
})

it.each(['gru5rec', 'toString', '__proto__'])('refuses the unknown architecture %s', (model) => {
  expect(() => createArchitecture({ model })).toThrow(refused('must be one of gru4rec, '))
})

it.each([
  ['gru4rec', { decoderScale: Infinity }, 'a finite number'],
  ['mlp', { hidden: 0 }, 'an integer'],
  ['mlp', { decoderScale: 'small' }, 'a finite number'],
  ['tcn', { taps: 0 }, 'an integer'],
  ['tcn', { levels: 31 }, 'an integer from 1 to 30'],
  ['tcn', { dropout: 1 }, 'a number from 0 to below 1'],
  ['sasrec', { blocks: -1 }, 'an integer'],
  ['sasrec', { heads: 0.5 }, 'an integer'],
  ['sasrec', { dropout: -0.1 }, 'a number from 0 to below 1'],
  ['sasrec', { itemDeviation: -1 }, 'a finite number of at least 0'],
  ['gru4rec-parity', { cell: 'foo' }, 'reset-before or reset-after, got "foo"'],
  ['gru4rec-parity', { hiddenDropout: 1 }, 'a number from 0 to below 1'],
  ['gru4rec-parity', { embeddingDropout: Number.NaN }, 'a number from 0 to below 1'],
  ['matrix-factorization', { regularization: 0 }, 'a positive number'],
])('%s refuses %o', (model, options, expectation) => {
  const [option] = Object.keys(options)
  const message = `${model}.${option} must be ${expectation}`
  expect(() => createArchitecture({ model, ...options })).toThrow(refused(message))
})
