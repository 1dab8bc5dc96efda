import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'

import { closeServers, startServer } from '../../../test/servers.ts'
import { closeServices } from '../../../test/services.ts'
import type { Document, Operation } from '../../../test/openapi-requests.ts'
import { operations } from './operations.ts'

closeServices()
closeServers()

const read = async (): Promise<Document> => {
  const { ask } = await startServer()
  return (await ask('GET', '/openapi.json')).json as Document
}

describe('the OpenAPI document', () => {
  it('has every operation of the table, where the table has it, and no other', async () => {
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

  it('refers to nothing that is not there, and to everything that is', async () => {
    const document = await read()
    const text = JSON.stringify(document)
    const referred = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map((match) => match[1]!)
    const there = Object.keys(document.components.schemas)
    expect([...new Set(referred)].toSorted()).toEqual(
      there.map((name) => `#/components/schemas/${name}`).toSorted(),
    )
    expect(there).toContain('Filter')
  })

  it('shows what is sent, not how it is checked', async () => {
    const text = JSON.stringify(await read())
    expect(text).not.toMatch(/x-shown-as|\$defs|"\$id"/)
  })

  it('has parameters for all that varies in a path, and answers to all that can happen', async () => {
    for (const [path, methods] of Object.entries((await read()).paths)) {
      for (const { parameters, responses, operationId } of Object.values(methods)) {
        const inPath = parameters.filter((one) => one.in === 'path').map(({ name }) => `{${name}}`)
        expect(path.match(/\{\w+\}/g) ?? [], operationId).toEqual(inPath)
        expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(['4XX', '5XX']))
        expect(Object.keys(responses)[0], operationId).toMatch(/^2\d\d$/)
      }
    }
  })
})

describe('the OpenAPI document as OpenAPI 3.1', () => {
  it('has an operationId once', async () => {
    const ids = operationsOf(await read()).map(({ operationId }) => operationId)
    expect(ids.length).toBeGreaterThan(30)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('refers within itself to schemas that are there', async () => {
    const document = await read()
    const refs = nodesOf(document).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []))
    expect(refs.length).toBeGreaterThan(30)
    for (const ref of refs) expect(pointedAt(document, ref), ref).toBeTypeOf('object')
  })

  it('declares what its paths, and only they, have in braces', async () => {
    for (const [path, methods] of Object.entries((await read()).paths)) {
      const inBraces = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      for (const { operationId, parameters } of Object.values(methods)) {
        const inPath = parameters.filter((one) => one.in === 'path')
        expect(inPath.map(({ name }) => name).toSorted(), operationId).toEqual(inBraces.toSorted())
        expect(
          inPath.every(({ required }) => required),
          operationId,
        ).toBe(true)
        const places = parameters.map((one) => `${one.in} ${one.name}`)
        expect(new Set(places).size, operationId).toBe(places.length)
      }
    }
  })

  it('has schemas of JSON Schema 2020-12 and no others', async () => {
    const document = await read()
    const { components } = document
    const known = Object.keys(components.schemas).map((name) => ({
      $ref: `#/components/schemas/${name}`,
    }))
    const inPlace = operationsOf(document).flatMap(({ parameters, requestBody, responses }) => [
      ...parameters.map(({ schema }) => schema),
      ...[requestBody, ...Object.values(responses)].flatMap((one) =>
        Object.values(one?.content ?? {}).map(({ schema }) => schema),
      ),
    ])
    for (const schema of [...known, ...inPlace]) {
      // Strict: a keyword that does not exist, or does nothing where it stands, is an error.
      const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false })
      ajv.addVocabulary(['components'])
      expect(() => ajv.compile({ ...schema, components }), JSON.stringify(schema)).not.toThrow()
    }
  })
})

const operationsOf = ({ paths }: Document): Operation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods))

/** Every object within a value. */
function nodesOf(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const node = value as Record<string, unknown>
  return [node, ...Object.values(node).flatMap(nodesOf)]
}

const pointedAt = (document: unknown, ref: string): unknown =>
  ref
    .split('/')
    .slice(1)
    .reduce((node, step) => (node as Record<string, unknown> | undefined)?.[step], document)

describe('the page of it', () => {
  it('asks nobody else for anything, and lets the browser hold it to that', async () => {
    const { ask } = await startServer()
    const { headers, text } = await ask('GET', '/docs')
    expect(headers['content-type']).toMatch('text/html')
    expect(text).not.toMatch(/(src|href)="?(https?:)?\/\//)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|\*/)
  })
})
