// ren export --model: what a service learned, as a model file.

import { writeFile } from 'node:fs/promises'

import { RenError } from '../core/errors.ts'
import { modelFileFrom } from '../recommender/index.ts'
import { readWhole } from '../service/state/restore.ts'
import { itemsIn, versionIn } from '../service/state/snapshots.ts'
import type { EventStore, SnapshotInfo } from '../storage/index.ts'
import { count } from './counts.ts'
import { withStore } from './store-option.ts'
import type { StoreOption } from './store-option.ts'
import { requireWritable, writeWhole } from './whole-file.ts'

export interface ExportModelOptions extends StoreOption {
  readonly model: string
  readonly variant?: string
  readonly json?: true
}

/** Writes the newest weights of a variant. */
export async function exportModel(options: ExportModelOptions): Promise<void> {
  const { store: path, model: out, json } = options
  await requireWritable(out)
  const report = await withStore(options, async (store) => {
    const variant = await variantIn(store, options.variant)
    const info = await newestWeights(store, variant)
    const { version, position, origin } = versionIn(info)
    const facts = { variant, version, position, origin }
    const file = modelFileFrom(await readWhole(store, info), { exported: JSON.stringify(facts) })
    await writeWhole(out, (part) => writeFile(part, file))
    return { store: path, out, ...facts, items: itemsIn(info) }
  })
  if (json) return console.log(JSON.stringify(report))
  const { variant, version, position, items } = report
  const learned = `learned up to position ${position}`
  console.log(`version ${version} of ${variant}, ${count(items, 'item')}, ${learned}, in ${out}`)
}

/** The variant of that name; without one, the only one that the store has. */
async function variantIn(store: EventStore, wanted: string | undefined): Promise<string> {
  const variants = await store.snapshotScopes('weights')
  const [only, ...others] = variants
  if (wanted !== undefined && variants.includes(wanted)) return wanted
  if (only === undefined) throw noModel(store)
  const there = variants.join(', ')
  if (wanted !== undefined) {
    throw new RenError('not-found', `no variant is called ${wanted}; there are ${there}`)
  }
  if (others.length === 0) return only
  const message = `the store has models of several variants: name one of ${there} with --variant`
  throw new RenError('invalid-argument', message)
}

/** A variant begins with weights of no item, which are of no use elsewhere. */
async function newestWeights(store: EventStore, variant: string): Promise<SnapshotInfo> {
  const snapshots = await store.snapshots('weights', variant)
  const newest = snapshots.find(({ readable }) => readable)
  if (newest === undefined || itemsIn(newest) === 0) throw noModel(store)
  return newest
}

const noModel = ({ location }: EventStore): RenError =>
  new RenError(
    'not-found',
    `${location} has no trained model yet: a service learns one while it runs`,
  )
