// Builds the package and packs it into dist/, as `npm publish` would send it.

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build.ts'
import { buildPage, page } from './build-page.ts'
import { checkout, run } from './checkout.ts'

export interface PackOptions {
  /** Whether types are checked; defaults to true. */
  readonly check?: boolean
  /** A built page; defaults to dist/page, which is rebuilt if it is outdated. */
  readonly page?: string
}

/** Builds and packs the package with the page, and resolves with the path of the tarball. */
export async function pack({ check = true, page: built }: PackOptions = {}): Promise<string> {
  build('dist/package', { check })
  if (built === undefined) await buildPage()
  // `ren serve` looks for the page here, in a checkout too.
  cpSync(built ?? page, join(checkout, 'dist', 'package', 'dist', 'page'), { recursive: true })
  const destination = join(checkout, 'dist')
  const args = ['pack', './dist/package', '--json', '--pack-destination', destination]
  const [packed] = JSON.parse(run('npm', args)) as [{ filename: string }]
  return join(destination, packed.filename)
}

if (import.meta.main) {
  const packed = await pack()
  console.log(packed)
  // Publishing needs this flag: npm refuses to publish the checkout itself.
  if (process.argv.includes('--publish')) console.log(run('npm', ['publish', packed]))
}
