// The routes of the dashboard, the playground and the API reference. Files are read into memory once.
// Requests look them up by name, never by path.

import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'

import { RenError } from '../../../core/errors.ts'
import { at, type OperationName } from '../operations.ts'
import type { App } from '../server.ts'
import { failures } from '../../schemas/failure.ts'
import * as t from '../../schemas/builders.ts'

interface PageFile {
  readonly type: string
  readonly body: Buffer
  /** Compresses at the first call: most servers never send the API reference. */
  gzipped(): Buffer
}

type PageFiles = Awaited<ReturnType<typeof readPage>>

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

/** The Content-Security-Policy: a page may load its own files, and images from allowed hosts. */
const pagePolicy = (imageHosts: readonly string[]): string =>
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

export async function readPage(folder: string | undefined) {
  const [documents, assets] =
    folder === undefined
      ? [new Map<string, PageFile>(), new Map<string, PageFile>()]
      : await Promise.all([readFolder(folder), readFolder(join(folder, 'assets'))])
  return {
    /** @param name `index`, `playground` or `docs`. */
    document: (name: string) => documents.get(`${name}.html`),
    asset: (name: string) => assets.get(name),
  }
}

async function readFolder(folder: string): Promise<Map<string, PageFile>> {
  const found = await readdir(folder).catch((cause: unknown) => {
    throw new RenError('file-missing', `page: there is no built dashboard in ${folder}`, { cause })
  })
  const names = found.filter((name) => extname(name) in types)
  const files = names.map(async (name) => {
    const body = await readFile(join(folder, name))
    let zipped: Buffer | undefined
    const gzipped = (): Buffer => (zipped ??= gzipSync(body))
    return [name, { type: types[extname(name)]!, body, gzipped }] as const
  })
  return new Map(await Promise.all(files))
}

const documents = {
  page: 'index',
  playground: 'playground',
  docs: 'docs',
} as const satisfies Partial<Record<OperationName, string>>
const html = { 200: Type.String({ contentMediaType: 'text/html' }), ...failures }

export function pageRoutes(app: App, page: PageFiles, imageHosts: readonly string[]): void {
  const send = sender(pagePolicy(imageHosts))
  for (const [operation, document] of Object.entries(documents)) {
    app.route({
      ...at(operation as keyof typeof documents),
      schema: { response: html },
      // The document of a newer build refers to other assets.
      handler: async (request, reply) => send(request, reply, page.document(document), 'no-cache'),
    })
  }
  app.route({
    ...at('asset'),
    schema: {
      params: t.closed({ file: t.field('The name of the file.', t.name) }),
      response: { 200: Type.String({ description: 'The file.' }), ...failures },
    },
    // The name of an asset contains a hash of its content.
    handler: async (request, reply) =>
      send(request, reply, page.asset(request.params.file), 'max-age=31536000, immutable'),
  })
}

const sender =
  (policy: string) =>
  (
    { headers, url }: FastifyRequest,
    reply: FastifyReply,
    file: PageFile | undefined,
    caching: string,
  ): FastifyReply => {
    if (!file) throw new RenError('not-found', `there is no page at ${JSON.stringify(url)}`)
    const isZipped = /\bgzip\b/.test(headers['accept-encoding']?.toString() ?? '')
    if (isZipped) reply.header('content-encoding', 'gzip')
    return (
      reply
        .type(file.type)
        // A worker uses the policy of its own response, not that of the page.
        .header('content-security-policy', policy)
        .header('cache-control', caching)
        .header('vary', 'accept-encoding')
        .send(isZipped ? file.gzipped() : file.body)
    )
  }
