// Addresses of PostgreSQL stores, such as `postgres://user@host/database?schema=shop`. Messages show
// them without passwords.

import { invalid } from '../../core/errors.ts'

/** Where a store is. */
export interface Address {
  /** The address without passwords, for messages. */
  readonly shown: string
  /** The address for `pg`, without the schema. It may contain a password. */
  readonly connection: string
  /** The schema with the tables of the store. */
  readonly schema: string
}

export const defaultSchema = 'ren'

/** Whether a location is an address of PostgreSQL rather than the path of a file. */
export const isPostgres = (location: string): boolean => /^postgres(?:ql)?:/i.test(location)

/**
 * A location without passwords. An address can be malformed in any way, so everything between the user and
 * the last @ counts as the password.
 */
export const showLocation = (location: string): string =>
  location
    .replace(/^([a-z][\w+.-]*:\/*[^:@]*):.*@/is, '$1@')
    .replaceAll(/(?<=[?&])(?:ssl)?password=[^&#]*&?/gi, '')
    .replace(/[?&]$/, '')

/** Refuses locations that are neither a file nor an address of PostgreSQL. */
export function requireLocation(location: string): void {
  if (isPostgres(location) || !/^[a-z][\w+.-]+:\/\//i.test(location)) return
  const got = showLocation(location)
  throw invalid(`expected the path of a file or an address postgres://…, got ${got}`)
}

/** Adds the name of the schema to an address. */
export function withSchema(location: string, schema: string): string {
  if (!isPostgres(location)) {
    throw invalid(`a schema needs a store postgres://…, got ${showLocation(location)}`)
  }
  const rest = withoutSchema(location)
  return `${rest}${rest.includes('?') ? '&' : '?'}schema=${requireSchema(schema)}`
}

export function parseAddress(location: string): Address {
  const shown = showLocation(location)
  if (!/^postgres(?:ql)?:\/\/[^/?#]*(?:[/?#]|$)/i.test(location)) {
    throw invalid(`expected an address postgres://user@host/database, got ${shown}`)
  }
  const schema = requireSchema(/[?&]schema=([^&#]*)/.exec(location)?.[1] ?? defaultSchema)
  const connection = withoutSchema(location).replace(/^postgres(?:ql)?:/i, 'postgres:')
  return { shown, connection, schema }
}

/** The address for programs of PostgreSQL. */
export const withoutSchema = (location: string): string =>
  location.replaceAll(/(?<=[?&])schema=[^&#]*&?/g, '').replace(/[?&]$/, '')

/** The name needs no quotes. */
function requireSchema(name: string): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(name) && !name.startsWith('pg_')) return name
  throw invalid(
    `the schema must be a name of lower-case letters, digits and _, at most 63 characters, got ${name}`,
  )
}
