// Who may be asked for and who may ask: a page of another site must not reach a server of this
// machine, neither by a name it points here (Host) nor from a browser that happens to be near (Origin).

import { isIP } from 'node:net'

import { RenError } from '../../core/errors.ts'

export interface Callers {
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
}

const loopbackNames = new Set(['localhost', '127.0.0.1', '::1'])

/** Whether only this machine can reach an address. */
export const isLoopback = (address: string): boolean =>
  loopbackNames.has(address) || (isIP(address) === 4 && address.startsWith('127.'))

/** The host of a Host header: no port, no brackets, small letters. */
export function hostName(header: string): string {
  const name = header.toLowerCase()
  if (name.startsWith('[')) return name.slice(1, name.indexOf(']'))
  const colon = name.indexOf(':')
  return colon === -1 ? name : name.slice(0, colon)
}

/** Checks that remember what holds for a server, so that a request costs two look-ups. */
export function checkCallers({ allowedHosts, allowedOrigins }: Callers) {
  const hosts = new Set([...loopbackNames, ...allowedHosts.map((host) => host.toLowerCase())])
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()))

  return {
    /** The address where the connection arrived is a name of this server too. */
    refuseHost(
      header: string | undefined,
      connection: { readonly localAddress?: string | undefined },
    ): RenError | undefined {
      if (header !== undefined) {
        const name = hostName(header)
        if (hosts.has(name) || hosts.has(header.toLowerCase())) return undefined
        if (name !== '' && name === plainAddress(connection.localAddress)) return undefined
      }
      return new RenError(
        'host-refused',
        `expected a Host of this server or of allowedHosts, got ${JSON.stringify(header ?? null)}`,
      )
    },
    /** Whether an origin is another site's that may ask. */
    isAllowed: (origin: string): boolean => origins.has(origin.toLowerCase()),
    refuseOrigin(origin: string, host: string | undefined): RenError | undefined {
      const asked = origin.toLowerCase()
      const site = /^https?:\/\/(.+)$/.exec(asked)?.[1]
      if (site !== undefined && site === host?.toLowerCase()) return undefined
      if (origins.has(asked)) return undefined
      return new RenError(
        'origin-refused',
        `expected a page of this server or an origin of allowedOrigins, got ${JSON.stringify(origin)}`,
      )
    },
  }
}

/** An IPv4 address as itself where the socket has it mapped into IPv6. */
const plainAddress = (address: string | undefined): string | undefined =>
  address?.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
