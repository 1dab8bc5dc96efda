// Sends one request to the service, with the key if there is one.

import { keyInUse, keySettled } from './key.ts'

/** Undefined and empty values are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>

export interface RequestOptions {
  readonly query?: Query | undefined
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** An error response of the service, or a failure to reach it. */
export class Failure extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
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
  const said = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return said.length === 0 ? '' : `?${new URLSearchParams(said).toString()}`
}

export async function failureOf(response: Response): Promise<Failure> {
  const answer = (await response.json().catch(() => null)) as {
    error?: { code: string; message: string }
  } | null
  const { code, message } = answer?.error ?? {
    code: 'internal',
    message: `The service responded with status ${response.status}.`,
  }
  return new Failure(code, message)
}
