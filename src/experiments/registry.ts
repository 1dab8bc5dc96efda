// Finds protocols by name. Threads cannot share functions, so a registry is the URL of a module that
// exports `protocols`; the main thread and the workers each import it.

import { extname } from 'node:path'

import { RenError } from '../core/errors.ts'
import type { Protocol } from './protocol.ts'

/** A module in this folder: TypeScript in the checkout, JavaScript in the published package. */
export const sibling = (name: string): URL =>
  new URL(`./${name}${extname(import.meta.url)}`, import.meta.url)

/** The protocols that come with the package. */
export const standardRegistry = sibling('race').href

export async function findProtocol(registry: string, name: string): Promise<Protocol> {
  const { protocols } = (await import(registry)) as {
    readonly protocols: Readonly<Record<string, Protocol>>
  }
  if (Object.hasOwn(protocols, name)) return protocols[name]!
  const known = Object.keys(protocols).join(', ')
  throw new RenError('plan-invalid', `protocol must be one of ${known}, got ${name}`)
}
