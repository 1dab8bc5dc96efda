import { describe, expect, it } from 'vitest'
import { architectures, createArchitecture, modelNames } from './architectures.ts'

const refused = (message: string) =>
  expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(message) })

describe.each(modelNames)('the architecture %s', (name) => {
  it('is described by its name and by plain JSON that builds it again', () => {
    const { description } = architectures[name]({ dimension: 12, window: 7 })
    expect(description).toMatchObject({ model: name, dimension: 12, window: 7 })
    const read = JSON.parse(JSON.stringify(description)) as typeof description
    const again = createArchitecture(read)
    expect(again.description).toEqual(description)
    expect([again.dimension, again.window]).toEqual([12, 7])
  })

  it('refuses an option it does not have, and says which it has', () => {
    const described = { model: name, dimnesion: 12 }
    expect(() => createArchitecture(described)).toThrow(
      refused(`${name} has no option dimnesion; it has dimension`),
    )
  })
})

it.each(['gru5rec', 'toString', '__proto__'])('no architecture is called %s', (model) => {
  expect(() => createArchitecture({ model })).toThrow(refused('there are gru4rec, '))
})
