// Generates the OpenAPI 3.1 document from the routes and their schemas.

import { readFileSync } from 'node:fs'
import type { FastifySchema } from 'fastify'

import { operations, type OperationName } from './operations.ts'

export type Json = Record<string, unknown>

const manifest = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as { readonly name: string; readonly version: string }

export function openApiOf(routes: ReadonlyMap<OperationName, FastifySchema>): Json {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  for (const [name, route] of routes) {
    const { path, method } = operations[name]
    const url = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[url] = { ...paths[url], [method.toLowerCase()]: operationOf(name, route, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { title: manifest.name, version: manifest.version },
    servers: [{ url: '/' }],
    tags: [...new Set(Object.values(operations).map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', bearerFormat: 'ren_<id>_<secret>' },
      },
    },
  }
}

function operationOf(name: OperationName, route: FastifySchema, schemas: Json): Json {
  const { access, tag, summary } = operations[name]
  const body = route.body && { schema: shown(route.body, schemas) }
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(access === 'open'
      ? { security: [] }
      : { description: `Requires a key with the scope ${access}.`, security: [{ key: [] }] }),
    parameters: [
      ...parametersOf(route.params, 'path', schemas),
      ...parametersOf(route.querystring, 'query', schemas),
    ],
    ...(body ? { requestBody: { content: { 'application/json': body } } } : {}),
    responses: Object.fromEntries(
      Object.entries((route.response ?? {}) as Json).map(([status, schema]) => [
        status.replace('xx', 'XX'),
        responseOf(schema as Json, schemas),
      ]),
    ),
  }
}

function parametersOf(parameters: unknown, place: 'path' | 'query', schemas: Json): Json[] {
  const { properties = {}, required = [] } = (parameters ?? {}) as {
    properties?: Json
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, value]) => {
    const { description, ...schema } = shown(value, schemas)
    return { name, in: place, description, required: required.includes(name), schema }
  })
}

/** A response is JSON unless its schema has a `contentMediaType`. */
function responseOf(schema: Json, schemas: Json): Json {
  const { contentMediaType = 'application/json' } = schema
  const { description = 'Success.', ...content } = shown(schema, schemas)
  return { description, content: { [String(contentMediaType)]: { schema: content } } }
}

/**
 * Moves schemas with a title to `schemas`, and replaces them by references. The description stays with
 * the reference: it is that of the field.
 */
function shown(schema: unknown, schemas: Json): Json {
  const { description, ...node } = schema as Json
  const result = withoutTitles(node, schemas)
  return description === undefined ? result : { ...result, description }
}

function withoutTitles(node: Json, schemas: Json): Json {
  if ('x-shown-as' in node) return shown(node['x-shown-as'], schemas)
  for (const [name, part] of Object.entries((node['$defs'] ?? {}) as Json)) {
    const { $id: _, ...definition } = part as Json
    define(name, definition, schemas)
  }
  if (typeof node['$ref'] === 'string') return refer(node['$ref'])
  if (typeof node['title'] !== 'string') return partsOf(node, schemas)
  define(node['title'], node, schemas)
  return refer(node['title'])
}

function define(name: string, schema: Json, schemas: Json): void {
  if (name in schemas) return
  // Reserves the name first, since its parts may refer to it.
  schemas[name] = {}
  schemas[name] = partsOf(schema, schemas)
}

/** Without `expected`, which is for error messages. */
function partsOf(schema: Json, schemas: Json): Json {
  const { expected: _, ...node } = schema
  return Object.fromEntries(
    Object.entries(node).map(([key, part]) => [key, shownPart(part, schemas)]),
  )
}

function shownPart(part: unknown, schemas: Json): unknown {
  if (Array.isArray(part)) return part.map((one) => shownPart(one, schemas))
  return typeof part === 'object' && part !== null ? shown(part, schemas) : part
}

const refer = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
