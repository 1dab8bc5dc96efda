// The dashboard and what it is made of.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'

import { RenError } from '../../../core/errors.ts'
import { at } from '../operations.ts'
import type { OperationName } from '../operations.ts'
import { pagePolicy } from '../page-files.ts'
import type { PageFile } from '../page-files.ts'
import type { App, Parts } from '../parts.ts'
import { failures } from '../schemas/failure.ts'
import { closed, name } from '../schemas/words.ts'

const documents = { page: 'index', playground: 'playground' } as const satisfies Partial<
  Record<OperationName, string>
>
const html = { 200: Type.String({ contentMediaType: 'text/html' }), ...failures }

export function pageRoutes(app: App, { page, imageHosts }: Parts): void {
  const send = sender(pagePolicy(imageHosts))
  for (const [operation, document] of Object.entries(documents)) {
    app.route({
      ...at(operation as keyof typeof documents),
      schema: { response: html },
      // It names files that a newer build does not have.
      handler: async (request, reply) => send(request, reply, page.document(document), 'no-cache'),
    })
  }
  app.route({
    ...at('asset'),
    schema: {
      params: closed({ file: name }),
      response: { 200: Type.String({ description: 'the file' }), ...failures },
    },
    // Their names have a hash of what is in them.
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
        // A worker has the policy of its own file, not of the page that started it.
        .header('content-security-policy', policy)
        .header('cache-control', caching)
        .header('vary', 'accept-encoding')
        .send(isZipped ? file.gzipped : file.body)
    )
  }
