import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { temporaryFiles } from '../../test/temporary-files.ts'
import { RenError } from '../core/errors.ts'
import { makeKey } from '../service/index.ts'
import { openSqliteStore, type EventStore } from '../storage/index.ts'
import { demoStore, planService, withStoreHint } from './serve-plan.ts'

const { folder } = temporaryFiles()
const nothing = join(folder, 'nothing.db')

async function storeWith(name: string, fill: (store: EventStore) => Promise<unknown>) {
  const store = await openSqliteStore(join(folder, name))
  await fill(store)
  await store.close()
  return store.location
}

describe('the choice of what to serve', () => {
  it('is the demo without options and without a store', async () => {
    const empty = await storeWith('empty.db', async () => {})
    for (const store of [nothing, empty]) {
      const { why, ...plan } = await planService({ store }, [])
      expect(plan).toEqual({ store: demoStore, demo: true })
      expect(why).toContain(`--no-demo serves ${store}`)
    }
  })

  it('is a store that has an item or a key', async () => {
    const items = [{ item: 'tea' }]
    const put = await storeWith('items.db', (store) =>
      store.append([{ event: { kind: 'items-put', items, time: 0 } }]),
    )
    const keys = await storeWith('keys.db', async (store) => {
      await store.addKey(makeKey({ name: 'shop', scopes: ['events'], time: 0 }).stored)
    })
    for (const store of [put, keys]) {
      const { why, ...plan } = await planService({ store }, [])
      expect(plan).toEqual({ store, demo: false })
      expect(why).toMatch(/because this store is not empty; --demo/)
    }
    expect(await planService({ store: put, demo: true }, [])).toMatchObject({ demo: true })
  })

  it('is the store if an option says so, and the reason names the option', async () => {
    const byOption = await planService({ store: nothing }, ['--variants', '--models'])
    expect(byOption).toMatchObject({ store: nothing, demo: false })
    expect(byOption.why).toContain('because of --variants; --demo runs the demo')
    const byRefusal = await planService({ store: nothing, demo: false }, [])
    expect(byRefusal).toMatchObject({ store: nothing, demo: false })
  })

  it('refuses the demo together with other settings', async () => {
    const plan = planService({ store: nothing, demo: true }, ['--method'])
    await expect(plan).rejects.toThrow(/--demo .* cannot be used with --method/)
  })
})

describe('the hint for a store that cannot be used', () => {
  it('is added only to errors of the store file', async () => {
    const failing = (error: Error) => withStoreHint('ren.db', () => Promise.reject(error))
    await expect(failing(new RenError('store-foreign', 'no store'))).rejects.toMatchObject({
      code: 'store-foreign',
      message: 'no store; choose another file with --store',
    })
    const other = new RenError('invalid-argument', 'no such method')
    await expect(failing(other)).rejects.toBe(other)
  })
})
