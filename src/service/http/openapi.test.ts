import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'

import { closeServers, startServer } from '../../../test/servers.ts'
import { closeServices } from '../../../test/services.ts'
import type { Document } from '../../../test/openapi-requests.ts'
import { operations } from './operations.ts'

closeServices()
closeServers()

const read = async (): Promise<Document> => {
  const { send } = await startServer()
  return (await send('GET', '/openapi.json')).json as Document
}

describe('the OpenAPI document', () => {
  it('contains exactly the operations of the table, with their paths', async () => {
    const { paths } = await read()
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => {
        return `${operationId} ${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
      }),
    )
    const expected = Object.entries(operations).map(
      ([name, { method, path }]) => `${name} ${method} ${path}`,
    )
    expect(found.toSorted()).toEqual(expected.toSorted())
  })

  it('describes every parameter and every field in a sentence', async () => {
    const { paths, components } = await read()
    const parameters = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap((operation) =>
        operation.parameters.map(({ name, description }) => ({
          place: `${operation.operationId}: ${name}`,
          description,
        })),
      )
    const all = [...parameters, ...fieldsIn({ paths, components })]
    expect(all.length).toBeGreaterThan(450)
    expect(all.filter(({ description = '' }) => !/^.{8,}\.$/.test(description))).toEqual([])
  })

  it('has patterns for every dialect, and requires bodies that are not optional', async () => {
    const { paths, components } = await read()
    const patterns = [...JSON.stringify(components).matchAll(/"pattern":("[^,}]*")/g)]
    expect(new Set(patterns.map(([, pattern]) => JSON.parse(pattern!) as string))).toEqual(
      new Set(['^[^\\x00-\\x1F\\x7F]+$']),
    )
    expect(JSON.stringify(components)).not.toContain('patternProperties')
    const optional = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ requestBody }) => requestBody && !requestBody.required)
    expect(optional.map(({ operationId }) => operationId)).toEqual(['train'])
  })

  it('requires a key only from a server that does', async () => {
    const { paths } = await read()
    expect(paths['/v1/status']!['get']!.security).toEqual([{}, { key: [] }])
    const { send } = await startServer({}, [['admin']])
    const locked = (await send('GET', '/openapi.json')).json as Document
    expect(locked.paths['/v1/status']!['get']!.security).toEqual([{ key: [] }])
    expect(locked.paths['/healthz']!['get']!.security).toEqual([])
  })

  it('has no dangling references and no unused schemas', async () => {
    const document = await read()
    const text = JSON.stringify(document)
    const referred = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map((match) => match[1]!)
    const there = Object.keys(document.components.schemas)
    expect([...new Set(referred)].toSorted()).toEqual(
      there.map((name) => `#/components/schemas/${name}`).toSorted(),
    )
    expect(there).toContain('Filter')
  })

  it('shows the schemas of documents, not those of the checks', async () => {
    const text = JSON.stringify(await read())
    expect(text).not.toMatch(/x-shown-as|\$defs|"\$id"/)
  })

  it('has all parameters of each path, and all responses', async () => {
    for (const [path, methods] of Object.entries((await read()).paths)) {
      for (const { parameters, responses, operationId } of Object.values(methods)) {
        const inPath = parameters.filter((one) => one.in === 'path')
        const named = inPath.map(({ name, required }) => (required ? `{${name}}` : name))
        expect(path.match(/\{\w+\}/g) ?? [], operationId).toEqual(named)
        expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(['4XX', '5XX']))
        expect(Object.keys(responses)[0], operationId).toMatch(/^2\d\d$/)
      }
    }
  })

  it('contains only valid schemas of JSON Schema 2020-12', async () => {
    const { paths, components } = await read()
    const described = Object.values(paths).flatMap((methods) => Object.values(methods))
    const inPlace = described.flatMap(({ parameters, requestBody, responses }) => {
      const contents = [requestBody ?? [], ...Object.values(responses)].flat()
      return [...parameters, ...contents.flatMap(({ content }) => Object.values(content))]
    })
    const named = Object.keys(components.schemas).map((name) => refer(name))
    const all = [...named, ...inPlace.map(({ schema }) => schema)]
    expect(all.length).toBeGreaterThan(100)
    // Strict mode: unknown or ineffective keywords are errors.
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false })
    ajv.addVocabulary(['components'])
    expect(() => ajv.compile({ allOf: all, components })).not.toThrow()
    const broken = { Broken: { type: 'text' }, Lost: refer('Nowhere') }
    for (const [name, schema] of Object.entries(broken)) {
      const schemas = { ...components.schemas, [name]: schema }
      const bad = { allOf: [refer(name)], components: { schemas } }
      expect(() => ajv.compile(bad), name).toThrow(/type must be|reference/)
    }
  })
})

const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` })

interface Field {
  readonly place: string
  readonly description?: string
}

/** Every field of every object schema within a part of the document. */
function fieldsIn(part: unknown, place = ''): Field[] {
  if (typeof part !== 'object' || part === null) return []
  const { type, properties } = part as { type?: unknown; properties?: Record<string, Field> }
  const fields =
    type === 'object' && properties !== undefined
      ? Object.entries(properties).map(([name, { description = '' }]) => {
          return { place: `${place}/${name}`, description }
        })
      : []
  const inside = Object.entries(part).flatMap(([key, child]) => fieldsIn(child, `${place}/${key}`))
  return [...fields, ...inside]
}
