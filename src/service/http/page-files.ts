// The built dashboard, read into memory once: it is small, and what is asked for by name is looked
// up, never a path.

import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { RenError } from '../../core/errors.ts'

export interface PageFile {
  readonly type: string
  readonly body: Buffer
  readonly gzipped: Buffer
}

export interface PageFiles {
  /** `index` or `playground`. */
  document(name: string): PageFile | undefined
  asset(name: string): PageFile | undefined
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

/** What a page of this server may load: its own files, and images from hosts that are allowed. */
export const pagePolicy = (imageHosts: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "connect-src 'self'",
    ["img-src 'self' data: blob:", ...imageHosts.map((host) => `https://${host}`)].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

export async function readPage(folder: string | undefined): Promise<PageFiles> {
  const [documents, assets] =
    folder === undefined
      ? [new Map<string, PageFile>(), new Map<string, PageFile>()]
      : await Promise.all([readFolder(folder), readFolder(join(folder, 'assets'))])
  return {
    document: (name) => documents.get(`${name}.html`),
    asset: (name) => assets.get(name),
  }
}

async function readFolder(folder: string): Promise<Map<string, PageFile>> {
  const found = await readdir(folder).catch((cause: unknown) => {
    throw new RenError('file-missing', `page: there is no built page in ${folder}`, { cause })
  })
  const names = found.filter((name) => extname(name) in types)
  const files = names.map(async (name) => {
    const body = await readFile(join(folder, name))
    return [name, { type: types[extname(name)]!, body, gzipped: gzipSync(body) }] as const
  })
  return new Map(await Promise.all(files))
}
