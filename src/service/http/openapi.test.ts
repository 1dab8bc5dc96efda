import { describe, expect, it } from 'vitest'

import { closeServers, startServer } from '../../../test/servers.ts'
import { closeServices } from '../../../test/services.ts'
import type { Document } from '../../../test/openapi-requests.ts'
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
