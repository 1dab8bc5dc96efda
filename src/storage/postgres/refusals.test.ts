import { describe, expect, it } from 'vitest'
import { withCode } from '../../../test/contracts/event-store-cases.ts'
import { canStartPostgres, lockedAddress, runSql, sharedPostgres } from '../../../test/postgres.ts'
import { openReader, openStore } from '../open-store.ts'
import { parseAddress, showLocation, withSchema } from './address.ts'

const secret = 's3cr/et@word'

describe('an address', () => {
  it.each([
    [`postgres://ann:${secret}@host:5432/shop`, 'postgres://ann@host:5432/shop'],
    [`postgresql://ann:${secret}@host/shop?schema=x`, 'postgresql://ann@host/shop?schema=x'],
    [`postgres://:${secret}@host/shop`, 'postgres://@host/shop'],
    [`postgres:/ann:${secret}@host`, 'postgres:/ann@host'],
    [`mysql://ann:${secret}@host/shop`, 'mysql://ann@host/shop'],
    [`postgres://host/shop?password=${secret}&schema=x`, 'postgres://host/shop?schema=x'],
    [`postgres://host/shop?schema=x&sslpassword=${secret}`, 'postgres://host/shop?schema=x'],
    ['postgres://host:5432/shop', 'postgres://host:5432/shop'],
    ['./data/ren.db', './data/ren.db'],
    ['C:\\data\\ren.db', 'C:\\data\\ren.db'],
  ])('of %s is shown without its password', (location, shown) => {
    expect(showLocation(location)).toBe(shown)
  })

  it('has a schema, which defaults to ren', () => {
    expect(parseAddress('postgres://h/d')).toMatchObject({ schema: 'ren' })
    expect(parseAddress(withSchema('postgres://h/d', 'shop'))).toMatchObject({ schema: 'shop' })
    const twice = withSchema('postgres://h/d?schema=a&sslmode=require', 'b')
    expect(parseAddress(twice)).toMatchObject({
      schema: 'b',
      connection: 'postgres://h/d?sslmode=require',
    })
    expect(() => withSchema('ren.db', 'shop')).toThrow('a schema needs a store postgres://')
  })

  it.each(['Shop', 'a b', 'pg_x', '', '"; drop', 'x'.repeat(64)])(
    'refuses the schema %o',
    (schema) => {
      expect(() => withSchema('postgres://h/d', schema)).toThrow(withCode('invalid-argument'))
    },
  )

  it.each([
    `mysql://ann:${secret}@host/shop`,
    `postgres:/ann:${secret}@host/shop`,
    `postgres://ann:${secret}@host:port/shop`,
    `postgres://ann:${secret}@[host/shop`,
    `postgres://ann:%zz${secret}@host/shop`,
  ])('%s is refused without showing the password', async (location) => {
    const error = (await openStore(location).catch((caught: unknown) => caught)) as Error
    expect(error).toMatchObject({ code: 'invalid-argument' })
    expect(allTextOf(error)).not.toContain('s3cr')
  })
})

/** All text that printing an error may show. */
function allTextOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = Object.getOwnPropertyNames(error).map((name) => String(Reflect.get(error, name)))
  return [...own, error.stack, allTextOf(error.cause ?? '')].join('\n')
}

describe.skipIf(!canStartPostgres)('a store on PostgreSQL is refused', () => {
  const refusal = async (location: string, create = true) => {
    const error = await openStore(location, { create }).then(
      (store) => store.close(),
      (caught: unknown) => caught,
    )
    return error as Error & { code: string }
  }

  it('if the password is wrong or missing, and accepted if it is right', async () => {
    const server = await sharedPostgres()
    const { address } = await lockedAddress('locked')
    const store = await openStore(address)
    expect(store.location).toBe(server.address('locked', 'locked'))
    await store.close()
    const wrong = await refusal(server.address('locked', `locked:${encodeURIComponent(secret)}`))
    expect(wrong).toMatchObject({ code: 'store-failed' })
    expect(wrong.message).toContain('PostgreSQL refuses the user or the password')
    expect(allTextOf(wrong)).not.toContain('s3cr')
  })

  it('if there is no server, database or schema', async () => {
    const { address, folder } = await sharedPostgres()
    const none = await refusal('postgres://ann:secret@localhost/shop?host=/tmp/nowhere')
    expect(none.code).toBe('store-failed')
    expect(none.message).toContain('there is no server at this socket')
    expect(allTextOf(none)).not.toContain('secret')
    const database = await refusal(`postgres://postgres@localhost/nowhere?host=${folder}`)
    expect(database.code).toBe('store-missing')
    const missing = await refusal(address('not_there'), false)
    expect(missing.code).toBe('store-missing')
    expect(missing.message).toContain('there is no store in the schema not_there of postgres:')
    await expect(openReader(address('not_there'))).rejects.toThrow(withCode('store-missing'))
  })

  it('if the schema has tables of others, which stay unchanged', async () => {
    const server = await sharedPostgres()
    runSql(server, 'create schema theirs; create table theirs.events (a int)')
    expect((await refusal(server.address('theirs'))).code).toBe('store-foreign')
    expect(
      runSql(server, `select relname from pg_class where relnamespace = 'theirs'::regnamespace`),
    ).toBe('events\n')
    runSql(server, 'create schema other; create table other.migrations (a int)')
    expect((await refusal(server.address('other'))).code).toBe('store-foreign')
  })

  it('if a newer version wrote it, unless that version allows it', async () => {
    const server = await sharedPostgres()
    const address = server.address('newer')
    expect(await refusal(address)).toBeUndefined()
    runSql(server, `insert into newer.migrations values (98, 'adds a table', 1)`)
    expect(await refusal(address)).toBeUndefined()
    runSql(server, `insert into newer.migrations values (99, 'changes a table', 99)`)
    expect((await refusal(address)).code).toBe('store-too-new')
    await expect(openReader(address)).rejects.toThrow(withCode('store-too-new'))
  })

  it('if the encoding of the database is not UTF8', async () => {
    const server = await sharedPostgres()
    runSql(server, `create database latin encoding 'LATIN1' template template0`)
    const error = await refusal(server.address('x').replace('/postgres?', '/latin?'))
    expect(error.code).toBe('unsupported-platform')
    expect(error.message).toContain('must be UTF8, it is LATIN1')
  })
})
