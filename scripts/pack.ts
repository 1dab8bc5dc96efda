// Packs what `build` made into dist/, as `npm publish` would send it.

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build.ts'
import { buildPage, page } from './build-page.ts'
import { checkout, run } from './checkout.ts'

/** Builds and packs the package, the page in it, and resolves with the path of the tarball. */
export async function pack(): Promise<string> {
  build()
  await buildPage()
  // Where the command looks for it in a checkout too.
  cpSync(page, join(checkout, 'dist', 'package', 'dist', 'page'), { recursive: true })
  const destination = join(checkout, 'dist')
  const args = ['pack', './dist/package', '--json', '--pack-destination', destination]
  const [packed] = JSON.parse(run('npm', args)) as [{ filename: string }]
  return join(destination, packed.filename)
}

if (import.meta.main) console.log(await pack())
