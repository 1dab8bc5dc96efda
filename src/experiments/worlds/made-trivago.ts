// Made data in Trivago's format, written the first time that a run asks for it and read from then on.

import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { makeTrivago, writeMadeData } from '../../datasets/index.ts'
import type { TrivagoSettings } from '../../datasets/index.ts'

/** Raised whenever the same settings make other data, so that no older files are taken for it. */
const edition = 1

/** The file of the sessions. Several threads may ask at once: the first that is done counts. */
export async function madeTrivago(settings: TrivagoSettings): Promise<string> {
  const { seed, users, items, interactions, hours } = settings
  const name = [edition, encodeURIComponent(seed), users, items, interactions, hours].join('-')
  const home = join(tmpdir(), 'ren-made-data')
  const folder = join(home, `trivago-${name}`)
  const file = join(folder, 'train.csv')
  if (existsSync(file)) return file
  await mkdir(home, { recursive: true })
  const draft = await mkdtemp(join(home, 'draft-'))
  try {
    await writeMadeData(draft, makeTrivago(settings))
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!existsSync(file)) throw error
  }
  return file
}
