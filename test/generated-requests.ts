// Properties of all responses: no response reports a failure of the server, every error has a documented
// code, and every response matches the OpenAPI document.

import { errorCodes } from 'ren-recommender'
import { Compile } from 'typebox/schema'
import { expect } from 'vitest'
import { testDemo } from './test-demo.ts'
import { farNumbers, makeRequests } from './openapi-requests.ts'
import type { Document, GeneratedRequest, Operation, Schema } from './openapi-requests.ts'
import { startServer } from './servers.ts'

export interface Outcomes {
  /** The number of responses per status class, by the intent of the request. */
  readonly [intentAndHundred: string]: number
}

/** `store` is a path; without it, the store is in memory. */
export async function sendGenerated(
  seed: number,
  count: number,
  store?: string,
): Promise<Outcomes> {
  const runners = {
    runner: { start: async () => ({ done: true }) },
    importer: { start: async ({ text }: { readonly text: string }) => text.length },
    demo: testDemo(),
  }
  const { server, send, keys, logMessages } = await startServer(
    runners,
    [['admin']],
    store === undefined ? {} : { store },
  )
  const headers = { authorization: `Bearer ${keys[0]}` }
  const document = (await send('GET', '/openapi.json')).json as Document
  const matches = createMatcher(document)
  const outcomes: Record<string, number> = {}
  let left = count
  // A stream does not end on its own.
  for (const request of makeRequests(document, seed, ['stream'])) {
    if (left-- === 0) break
    const { method, url, body, contentType } = request
    const answer = await server.inject({
      method: method as 'GET',
      url,
      headers: { ...headers, ...(body !== undefined && { 'content-type': contentType }) },
      ...(body !== undefined && { payload: body }),
    })
    const what = describe(request, answer.payload)
    const hundred = Math.floor(answer.statusCode / 100)
    expect(hundred, `${what}\n${logMessages.at(-1)?.message}`).toBeLessThan(5)
    // The same applies to each request of a batch.
    expect(answer.payload, what).not.toContain('"code":"internal"')
    if (hundred === 4) expect(Object.keys(errorCodes), what).toContain(codeOf(answer.payload))
    expect(matches(request.operation, answer.statusCode, answer.payload), what).toBe(true)
    const key = `${request.intent} ${hundred}xx`
    outcomes[key] = (outcomes[key] ?? 0) + 1
  }
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  return outcomes
}

/** Sends extreme values for each number of the exploration settings, and returns the statuses. */
export async function sendFarOut(): Promise<ReadonlyMap<string, number>> {
  const { send } = await startServer()
  const document = (await send('GET', '/openapi.json')).json as Document
  const { exploration } = document.components.schemas['RecommendationRequest']!.properties!
  const statuses = new Map<string, number>()
  for (const choice of exploration!.anyOf!.flatMap(farOut)) {
    const body = { user: 'ann', count: 2, exploration: choice }
    statuses.set(
      JSON.stringify(choice),
      (await send('POST', '/v1/recommendations', { body })).status,
    )
  }
  return statuses
}

/** Objects of a schema, each with an extreme value for one of its numbers. */
function farOut({ properties = {}, required = [] }: Schema): Record<string, unknown>[] {
  const needed = required.map((key) => [key, properties[key]!.enum?.[0] ?? 0])
  const base = Object.fromEntries(needed) as Record<string, unknown>
  return Object.entries(properties).flatMap(([key, schema]) => {
    const values = schema.properties ? farOut(schema) : isNumber(schema) ? farNumbers : []
    return values.map((value) => ({ ...base, [key]: value }))
  })
}

const isNumber = ({ type }: Schema): boolean => type === 'number' || type === 'integer'

const codeOf = (text: string): string =>
  (JSON.parse(text) as { readonly error: { readonly code: string } }).error.code

const describe = ({ intent, method, url, body }: GeneratedRequest, answer: string): string =>
  [intent, method, url.slice(0, 200), body?.toString().slice(0, 300), answer.slice(0, 600)].join(
    '\n',
  )

/** Whether a response matches the document of the operation. */
function createMatcher({ components }: Document) {
  const validators = new Map<unknown, ReturnType<typeof Compile>>()
  return ({ responses }: Operation, status: number, text: string): boolean => {
    const response = responses[status] ?? responses[`${Math.floor(status / 100)}XX`]
    const [[type, { schema }]] = Object.entries(response!.content) as [[string, { schema: object }]]
    const validator = validators.get(schema) ?? Compile({ ...schema, components })
    validators.set(schema, validator)
    return validator.Check(type === 'application/json' ? JSON.parse(text) : text)
  }
}
