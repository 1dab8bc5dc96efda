// Builds the page of the service into dist/page, unless it is up to date. `npm start` runs it first.

import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { build } from 'vite'
import type { InlineConfig, Plugin } from 'vite'
import { checkout, filesOf } from './checkout.ts'

export const page = join(checkout, 'dist', 'page')

/** Resolves when the folder has an up-to-date page. */
export async function buildPage(folder = page): Promise<void> {
  const source = hashOfSource()
  if (sourceOf(folder) === source) return
  mkdirSync(dirname(folder), { recursive: true })
  const created = mkdtempSync(`${folder}-`)
  await buildWith(join(checkout, 'src', 'dashboard'), created, [
    'index.html',
    'playground.html',
    'docs.html',
  ])
  writeFileSync(stampOf(created), source)
  rmSync(folder, { recursive: true, force: true })
  try {
    renameSync(created, folder)
  } catch (error) {
    // Another process built it at the same time.
    rmSync(created, { recursive: true })
    if (sourceOf(folder) !== source) throw error
  }
}

const stampOf = (folder: string): string => join(folder, 'source.sha256')

/** The hash of the source of the page in a folder. */
const sourceOf = (folder: string): string | null =>
  existsSync(stampOf(folder)) ? readFileSync(stampOf(folder), 'utf8') : null

/** Builds documents of a folder with all their imports. */
export async function buildWith(
  root: string,
  outDir: string,
  documents: readonly string[],
): Promise<void> {
  // Built one by one, because shared chunks would make each document load more.
  for (const document of documents) await build(plan(root, outDir, document))
}

function plan(root: string, outDir: string, document: string): InlineConfig {
  return {
    configFile: false,
    root,
    base: '/',
    logLevel: 'warn',
    // The build must not depend on NODE_ENV, which tests set.
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    plugins: [leanerPreload],
    build: {
      outDir,
      emptyOutDir: false,
      // The licenses of the bundled packages.
      license: { fileName: `${basename(document, '.html')}-licenses.md` },
      target: 'es2023',
      modulePreload: { polyfill: false },
      // The viewer of the API reference is large, and only /docs loads it.
      chunkSizeWarningLimit: 2000,
      rolldownOptions: {
        input: join(root, document),
        checks: { bundlerTimings: false },
      },
    },
    worker: { format: 'es' },
  }
}

/**
 * Preloads the imports of a chunk together with it. Vite's own helper is larger, because it also
 * supports browsers without modulepreload, and nonces.
 */
const preload = `
const asked = {}
const ask = (dep) => new Promise((done, fail) => {
  const href = '/' + dep
  if (document.querySelector('link[href="' + href + '"]')) return done()
  const isStyle = dep.endsWith('.css')
  const link = document.createElement('link')
  Object.assign(link, { rel: isStyle ? 'stylesheet' : 'modulepreload', href, onload: done, onerror: fail })
  document.head.append(link)
  if (!isStyle) done()
})
export const __vitePreload = (load, deps = []) =>
  Promise.all(deps.map((dep) => (asked[dep] ??= ask(dep)))).then(load)
`

const leanerPreload: Plugin = {
  name: 'leaner-preload',
  transform: {
    filter: { id: /vite\/preload-helper/ },
    handler: () => ({ code: preload, map: null }),
  },
}

/** The hash of all files that the page can depend on. */
export function hashOfSource(): string {
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
