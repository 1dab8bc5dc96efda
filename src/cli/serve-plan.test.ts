import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { temporaryFiles } from '../../test/temporary-files.ts'
import { RenError } from '../core/errors.ts'
import { makeKey } from '../service/index.ts'
import { openSqliteStore } from '../storage/index.ts'
import type { EventStore } from '../storage/index.ts'
import { demoStore, planService, withWayOut } from './serve-plan.ts'

const { folder } = temporaryFiles()
const nothing = join(folder, 'nothing.db')

async function storeWith(name: string, fill: (store: EventStore) => Promise<unknown>) {
  const store = await openSqliteStore(join(folder, name))
  await fill(store)
  await store.close()
  return store.location
}

describe('what is served', () => {
  it('is the demo where nothing else was asked for and nothing is there', async () => {
    const empty = await storeWith('empty.db', async () => {})
    for (const store of [nothing, empty]) {
      const { why, ...plan } = await planService({ store }, [])
      expect(plan).toEqual({ store: demoStore, demo: true })
      expect(why).toContain(`--no-demo serves ${store}`)
    }
  })

  it('is a store that has something in it: an item, or a key', async () => {
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
      expect(why).toMatch(/has something in it; ren serve --demo/)
    }
    expect(await planService({ store: put, demo: true }, [])).toMatchObject({ demo: true })
  })

  it('is the store where that was said, and the reason names what said it', async () => {
    const byOption = await planService({ store: nothing }, ['--variants', '--models'])
    expect(byOption).toMatchObject({ store: nothing, demo: false })
    expect(byOption.why).toContain('since --variants is given; ren serve --demo starts one')
    const byRefusal = await planService({ store: nothing, demo: false }, [])
    expect(byRefusal).toMatchObject({ store: nothing, demo: false })
  })

  it('is no demo with settings of somebody else', async () => {
    const plan = planService({ store: nothing, demo: true }, ['--method'])
    await expect(plan).rejects.toThrow(/--demo .* cannot be used with --method/)
  })
})

describe('the way out of a store that cannot be used', () => {
  it('is said of what is wrong with its file, and of nothing else', async () => {
    const failing = (error: Error) => withWayOut(() => Promise.reject(error))
    await expect(failing(new RenError('store-foreign', 'no store'))).rejects.toMatchObject({
      code: 'store-foreign',
      message: 'no store; --store takes another file',
    })
    const other = new RenError('invalid-argument', 'no such method')
    await expect(failing(other)).rejects.toBe(other)
  })
})
