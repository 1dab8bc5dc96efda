import { describe, expect, it } from 'vitest'

import { checkCallers, hostName, isLoopback } from './guard.ts'

const { refuseHost, refuseOrigin } = checkCallers({
  allowedHosts: ['shop.example', 'other.example:8443'],
  allowedOrigins: ['https://page.example'],
})

describe('a Host', () => {
  it.each([
    'localhost',
    'localhost:8080',
    'LOCALHOST:1',
    '127.0.0.1:8080',
    '[::1]:8080',
    '[::1]',
    'shop.example',
    'Shop.Example:9000',
    'other.example:8443',
    '10.0.0.7:8080',
  ])('is this server: %s', (host) => {
    expect(refuseHost(host, { localAddress: '::ffff:10.0.0.7' })).toBeUndefined()
  })

  it.each([
    undefined,
    '',
    ':8080',
    'evil.example',
    'localhost.evil.example',
    'evil-localhost',
    'localhost@evil.example',
    'other.example',
    'other.example:80',
    '10.0.0.8',
    '[::2]',
    '[',
    '127.0.0.1.evil.example',
  ])('is not: %s', (host) => {
    expect(refuseHost(host, { localAddress: '10.0.0.7' })).toMatchObject({ code: 'host-refused' })
  })

  it('is refused if the connection has no address', () => {
    expect(refuseHost('', {})).toMatchObject({ code: 'host-refused' })
  })
})

describe('an Origin', () => {
  it.each(['http://localhost:8080', 'https://localhost:8080', 'https://page.example'])(
    'may send: %s',
    (origin) => expect(refuseOrigin(origin, 'localhost:8080')).toBeUndefined(),
  )

  it.each([
    'null',
    '',
    'http://localhost',
    'http://localhost:8081',
    'http://page.example',
    'https://page.example.evil',
    'https://evil.example',
    'file://',
    'localhost:8080',
  ])('is refused: %s', (origin) => {
    expect(refuseOrigin(origin, 'localhost:8080')).toMatchObject({ code: 'origin-refused' })
  })

  it('is refused if the request has no Host', () => {
    expect(refuseOrigin('http://undefined', undefined)).toMatchObject({ code: 'origin-refused' })
  })
})

it('recognizes loopback addresses', () => {
  for (const address of ['localhost', '127.0.0.1', '127.1.2.3', '::1']) {
    expect(isLoopback(address), address).toBe(true)
  }
  for (const address of ['0.0.0.0', '::', '10.0.0.1', 'shop.example', '127.evil.example', '']) {
    expect(isLoopback(address), address).toBe(false)
  }
})

it('reads the name in a Host header', () => {
  expect(hostName('Name.Example:80')).toBe('name.example')
  expect(hostName('[FE80::1]:80')).toBe('fe80::1')
})
