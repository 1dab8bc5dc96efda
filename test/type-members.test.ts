import { expect, it } from 'vitest'
import { entryPoints } from '../scripts/public-api.ts'
import { membersOf } from '../scripts/type-members.ts'

it('finds properties and methods at any depth, with their comments', () => {
  const declaration = `interface Example extends Base<'a'> {
  /** One. */
  readonly one: string
  readonly two?: () => void
  /**
   * Three,
   * on two lines.
   */
  three<T>(value: T, options?: { readonly inner: number }): T
  four?(
    value: number,
  ): void
  readonly five: {
    /** Six. */
    readonly six: 'a' | 'b'
  }
}`
  expect(membersOf(declaration)).toEqual([
    { name: 'one', doc: 'One.', optional: false },
    { name: 'two', doc: '', optional: true },
    { name: 'three', doc: 'Three,\non two lines.', optional: false },
    { name: 'four', doc: '', optional: true },
    { name: 'five', doc: '', optional: false },
    { name: 'six', doc: 'Six.', optional: false },
  ])
})

it('leaves out discriminants, and comments of the alternatives of a union', () => {
  const declaration = `type Event =
  /** The first. */
  | {
      readonly kind: 'first'
      readonly time: number
    }
  /** The second. */
  | { readonly kind: 'second'; readonly user: string }`
  expect(membersOf(declaration)).toEqual([{ name: 'time', doc: '', optional: false }])
})

it('every property of a public type is readonly, by which it is found', async () => {
  const names = (await entryPoints()).flatMap((entry) => entry.names)
  const types = names.filter(({ kind }) => kind === 'type')
  expect(types.length).toBeGreaterThan(100)
  const mutable = types.filter(({ head }) => /^ {2}[\w$]+\??: .*[^,(]$/m.test(head))
  expect(mutable.map(({ name }) => name)).toEqual([])
})
