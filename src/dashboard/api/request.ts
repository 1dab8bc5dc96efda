// Requests to the service, with the API key of this tab if there is one. The first requests of the Live view are
// sent before the application has loaded, so that both load in parallel.

import type { Status } from '../../service/index.ts'

/** Undefined and empty values are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>

interface RequestOptions {
  readonly query?: Query | undefined
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** An error response of the service, or a failure to reach it. */
export class Failure extends Error {
  readonly code: string
  /** Where the request is wrong, such as `settings.seeds`. */
  readonly path?: string | undefined

  constructor(code: string, message: string, path?: string) {
    super(message)
    this.code = code
    this.path = path
  }
}

/** The code of a failure to reach the service. */
export const unreachable = 'unreachable'

export async function sendRequest<T>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { query, body, signal }: RequestOptions = {},
): Promise<T> {
  await keySettled()
  const response = await fetch(path + queryOf(query), {
    method,
    headers: headersOf(body !== undefined),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new Failure(unreachable, 'The service does not respond.')
  })
  if (!response.ok) throw await failureOf(response)
  return (await response.json()) as T
}

export function headersOf(hasBody: boolean): Record<string, string> {
  const key = keyInUse()
  return {
    ...(key !== '' && { authorization: `Bearer ${key}` }),
    ...(hasBody && { 'content-type': 'application/json' }),
  }
}

function queryOf(query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}

export async function failureOf(response: Response): Promise<Failure> {
  const body = (await response.json().catch(() => null)) as {
    error?: { code: string; message: string; path?: string }
  } | null
  if (body?.error) return new Failure(body.error.code, body.error.message, body.error.path)
  return new Failure('internal', `The service responded with status ${response.status}.`)
}

const place = 'ren-key'
const listeners = new Set<() => void>()

export const keyInUse = (): string => sessionStorage.getItem(place) ?? ''

/** An empty string removes it. */
export function setKey(key: string): void {
  if (key === '') sessionStorage.removeItem(place)
  else sessionStorage.setItem(place, key)
  for (const listener of listeners) listener()
}

let settled: Promise<unknown> = Promise.resolve()

/** Resolves when the first key exists, if one is being created. Requests wait for it. */
export const keySettled = (): Promise<unknown> => settled

/** Uses the first key as soon as it exists, because requests without it are then refused. */
export function adoptFirstKey(creating: Promise<{ readonly key: string }>): void {
  settled = creating.then(
    ({ key }) => setKey(key),
    () => {},
  )
}

/** Calls the listener when the key changes. */
export const onKey = (listener: () => void): void => void listeners.add(listener)

const pending = new Map<string, Promise<never>>()

/** Returns the status request if the hash selects the Live view, otherwise null. */
export function sendFirstRequests(hash: string): Promise<Status> | null {
  if (!/^(#\/?(live.*)?)?$/.test(hash)) return null
  for (const path of ['/v1/status', '/v1/metrics']) {
    const response = sendRequest<never>('GET', path)
    // The caller handles a failure; without a caller it must not be reported as unhandled.
    response.catch(() => {})
    pending.set(path, response)
  }
  return pending.get('/v1/status')!
}

/** Returns each response once, because it would be outdated the next time. */
export function firstResponse<T>(path: string): Promise<T> | undefined {
  const response = pending.get(path)
  pending.delete(path)
  return response
}
