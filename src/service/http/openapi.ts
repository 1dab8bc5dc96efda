// Generates the OpenAPI 3.1 document from the routes and their schemas.

import { readFileSync } from 'node:fs'

import { operations, type OperationName } from './operations.ts'

/** The schemas of a fastify route. */
export interface RouteSchemas {
  readonly params?: unknown
  readonly querystring?: unknown
  readonly body?: unknown
  readonly response?: unknown
}

export type Json = Record<string, unknown>

const manifest = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as { readonly name: string; readonly version: string }

export function openApiOf(routes: ReadonlyMap<OperationName, RouteSchemas>): Json {
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

function operationOf(name: OperationName, route: RouteSchemas, schemas: Json): Json {
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
        responseOf(schema, schemas),
      ]),
    ),
  }
}

function parametersOf(schema: unknown, place: 'path' | 'query', schemas: Json): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Json
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, value]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: shown(value, schemas),
  }))
}

/** A response is JSON unless its schema has a `contentMediaType`. */
function responseOf(schema: unknown, schemas: Json): Json {
  const { description = 'a response', contentMediaType = 'application/json' } = schema as {
    description?: string
    contentMediaType?: string
  }
  return { description, content: { [contentMediaType]: { schema: shown(schema, schemas) } } }
}

/** Moves schemas with a title to `schemas`, and replaces them by references. */
function shown(schema: unknown, schemas: Json): unknown {
  if (Array.isArray(schema)) return schema.map((part) => shown(part, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const node = schema as Json
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

const partsOf = (node: Json, schemas: Json): Json =>
  Object.fromEntries(Object.entries(node).map(([key, part]) => [key, shown(part, schemas)]))

const refer = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
