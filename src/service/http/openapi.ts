// Generates the OpenAPI 3.1 document from the routes and their schemas.

import { readFileSync } from 'node:fs'
import type { FastifySchema } from 'fastify'

import { name as recordName } from '../schemas/builders.ts'
import { operations, tags, type OperationName } from './operations.ts'

export type Json = Record<string, unknown>

const manifest = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as { readonly name: string; readonly version: string; readonly license: string }

/** @param requiresKey Whether routes that are not open require a key now. */
export function openApiOf(
  routes: ReadonlyMap<OperationName, FastifySchema>,
  requiresKey: boolean,
): Json {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  for (const [name, route] of routes) {
    const { path, method } = operations[name]
    const url = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[url] = {
      ...paths[url],
      [method.toLowerCase()]: operationOf(name, route, schemas, requiresKey),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: manifest.name,
      version: manifest.version,
      license: { name: manifest.license, identifier: manifest.license },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', bearerFormat: 'ren_<id>_<secret>' },
      },
    },
  }
}

function operationOf(
  name: OperationName,
  route: FastifySchema,
  schemas: Json,
  requiresKey: boolean,
): Json {
  const { access, tag, summary } = operations[name]
  const body = route.body && { schema: shown(route.body, schemas) }
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(access === 'open'
      ? { security: [] }
      : {
          description: `Requires a key with the scope ${access}, once a key exists.`,
          security: requiresKey ? [{ key: [] }] : [{}, { key: [] }],
        }),
    parameters: [
      ...parametersOf(route.params, 'path', schemas),
      ...parametersOf(route.querystring, 'query', schemas),
    ],
    ...(body
      ? { requestBody: { required: needsBody(route.body), content: { 'application/json': body } } }
      : {}),
    responses: Object.fromEntries(
      Object.entries((route.response ?? {}) as Json).map(([status, schema]) => [
        status.replace('xx', 'XX'),
        responseOf(schema as Json, schemas),
      ]),
    ),
  }
}

/** A missing body counts as an empty one, except where it would erase something. */
const needsBody = (body: unknown): boolean => {
  const { properties, required = [], 'x-needs-body': needed = false } = body as Json
  const mayBeEmpty = properties !== undefined && (required as readonly string[]).length === 0
  return needed === true || !mayBeEmpty
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
  const { title, ...untitled } = node
  // The fields of an object may include one with the name `title`.
  if (typeof title !== 'string') return partsOf(node, schemas)
  // A reference has no place for `null`, and generators do not support a union with it.
  if (Array.isArray(node['type'])) return partsOf(untitled, schemas)
  define(title, node, schemas)
  return refer(title)
}

function define(name: string, schema: Json, schemas: Json): void {
  if (name in schemas) return
  // Reserves the name first, since its parts may refer to it.
  schemas[name] = {}
  schemas[name] = partsOf(schema, schemas)
}

/** Without `expected`, which is for error messages. */
function partsOf(schema: Json, schemas: Json): Json {
  const { expected: _, patternProperties, ...node } = schema
  const parts = Object.entries({ ...node, ...recordOf(patternProperties) })
  return Object.fromEntries(parts.map(([key, part]) => [key, shownPart(part, schemas)]))
}

/** Records have names as keys. Generators know `additionalProperties`, but no `patternProperties`. */
function recordOf(patternProperties: unknown): Json {
  if (patternProperties === undefined) return {}
  const [additionalProperties] = Object.values(patternProperties as Json)
  return { propertyNames: recordName, additionalProperties }
}

function shownPart(part: unknown, schemas: Json): unknown {
  if (Array.isArray(part)) return part.map((one) => shownPart(one, schemas))
  return typeof part === 'object' && part !== null ? shown(part, schemas) : part
}

const refer = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
