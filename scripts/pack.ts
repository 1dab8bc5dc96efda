// Packs what `build` made into dist/, as `npm publish` would send it.

import { join } from 'node:path'
import { build } from './build.ts'
import { checkout, run } from './checkout.ts'

/** Builds and packs the package and returns the path of the tarball. */
export function pack(): string {
  build()
  const destination = join(checkout, 'dist')
  const args = ['pack', './dist/package', '--json', '--pack-destination', destination]
  const [packed] = JSON.parse(run('npm', args)) as [{ filename: string }]
  return join(destination, packed.filename)
}

if (import.meta.main) console.log(pack())
