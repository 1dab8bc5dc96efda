// Builds the page of the service into dist/page. `npm start` runs it first, and it does nothing
// where the page is of this very source.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { checkout, filesOf } from './checkout.ts'

export const page = join(checkout, 'dist', 'page')
const stamp = join(page, 'source.sha256')

/** Resolves when dist/page is of this source. */
export async function buildPage(): Promise<void> {
  const source = hashOfSource()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === source) return
  await build({
    configFile: false,
    root: join(checkout, 'src', 'dashboard'),
    base: '/',
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: page,
      emptyOutDir: true,
      target: 'es2023',
      modulePreload: { polyfill: false },
      rolldownOptions: { input: ['index.html', 'playground.html'].map(inDashboard) },
    },
    worker: { format: 'es' },
  })
  writeFileSync(stamp, source)
}

const inDashboard = (file: string): string => join(checkout, 'src', 'dashboard', file)

/** Of all that the page may be made from. */
function hashOfSource(): string {
  const hash = createHash('sha256')
  const inPage = [
    'core',
    'kernels',
    'models',
    'exploration',
    'recommender',
    'simulation',
    'dashboard',
  ]
  const files = [
    ...inPage.flatMap((folder) => filesOf(`src/${folder}`).map((file) => `src/${folder}/${file}`)),
    'package-lock.json',
    'scripts/build-page.ts',
  ]
  for (const file of files.toSorted()) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(checkout, file)))
  }
  return hash.digest('hex')
}

if (import.meta.main) await buildPage()
