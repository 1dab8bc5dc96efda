// Builds the published package: JavaScript, types, and a manifest without development settings. A
// checkout needs no build, because Node runs its TypeScript directly.

import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkout, run } from './checkout.ts'

interface Manifest {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/**
 * Builds the package into a folder of the checkout, which it empties first. The type check does not
 * change the output and takes half of the time, so tests leave it to the gate.
 */
export function build(folder = 'dist/package', { check = true } = {}): void {
  const target = join(checkout, folder)
  rmSync(target, { recursive: true, force: true })
  const how = check ? [] : ['--noCheck']
  run('tsc', ['-p', 'tsconfig.build.json', '--outDir', `${folder}/lib`, ...how])
  for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md', 'docs', 'deploy']) {
    cpSync(join(checkout, file), join(target, file), { recursive: true })
  }
  const manifest = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as Manifest
  const published = JSON.stringify(publishedManifest(manifest), null, 2)
  writeFileSync(join(target, 'package.json'), `${published}\n`)
}

const ofTheCheckout = new Set(['scripts', 'devDependencies', 'optionalDependencies', 'overrides'])

function publishedManifest(manifest: Manifest): object {
  return {
    ...Object.fromEntries(Object.entries(manifest).filter(([field]) => !ofTheCheckout.has(field))),
    files: ['lib', 'dist', 'docs', 'deploy', 'CHANGELOG.md'],
    bin: mapValues(manifest.bin, (source) => compiled(source, '.js')),
    exports: mapValues(manifest.exports, (source) =>
      source.endsWith('.ts')
        ? { types: compiled(source, '.d.ts'), default: compiled(source, '.js') }
        : source,
    ),
  }
}

const compiled = (source: string, extension: string): string =>
  source.replace('./src/', './lib/').replace(/\.ts$/, extension)

const mapValues = <T>(
  record: Readonly<Record<string, string>>,
  map: (value: string) => T,
): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))

if (import.meta.main) {
  build()
  console.log('built dist/package')
}
