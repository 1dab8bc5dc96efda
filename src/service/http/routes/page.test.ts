// The dashboard as a browser gets it: the headers of each file, and paths it cannot reach.

import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

import { closeServers, startServer } from '../../../../test/servers.ts'
import { closeServices } from '../../../../test/services.ts'
import { temporaryFiles } from '../../../../test/temporary-files.ts'
import { testPage, pageScript } from '../../../../test/test-page.ts'
import { readPage } from './page.ts'

closeServices()
closeServers()
const page = testPage(temporaryFiles())

describe('the files of a page', () => {
  it('are found by name, with their types and compressed', async () => {
    const { document, asset } = await readPage(page)
    expect(document('index')!.body.toString()).toContain('<title>the page</title>')
    expect(document('playground')!.type).toBe('text/html; charset=utf-8')
    const script = asset('x.js')!
    expect(gunzipSync(script.gzipped()).toString()).toBe(pageScript)
    expect(script.gzipped().length).toBeLessThan(script.body.length)
    for (const name of ['notes.txt', '../index.html', '../../secret.js', 'index.html', '']) {
      expect(asset(name), name).toBeUndefined()
    }
    expect(document('../secret')).toBeUndefined()
  })

  it('are empty without a folder, and required in a given folder', async () => {
    const none = await readPage(undefined)
    expect([none.document('index'), none.asset('x.js')]).toEqual([undefined, undefined])
    await expect(readPage(`${page}/nowhere`)).rejects.toThrow(/there is no built dashboard/)
  })
})

describe('the page over HTTP', () => {
  it.each([
    ['/', 'text/html; charset=utf-8', 'no-cache'],
    ['/playground', 'text/html; charset=utf-8', 'no-cache'],
    ['/docs', 'text/html; charset=utf-8', 'no-cache'],
    ['/assets/x.js', 'text/javascript; charset=utf-8', 'max-age=31536000, immutable'],
    ['/assets/x.css', 'text/css; charset=utf-8', 'max-age=31536000, immutable'],
    ['/assets/x.svg', 'image/svg+xml', 'max-age=31536000, immutable'],
    ['/assets/x.wasm', 'application/wasm', 'max-age=31536000, immutable'],
  ])('serves %s as %s with the caching %s', async (path, type, caching) => {
    const { send } = await startServer({ page })
    const { status, headers } = await send('GET', path)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': type,
      'cache-control': caching,
      vary: expect.stringContaining('accept-encoding'),
    })
    expect(headers).not.toHaveProperty('content-encoding')
  })

  it('lets a page load only its own files', async () => {
    const { send } = await startServer({ page })
    for (const path of ['/', '/playground', '/docs']) {
      const policy = String((await send('GET', path)).headers['content-security-policy'])
      expect(policy).toMatch(/^default-src 'none'/)
      expect(policy).toMatch(/script-src 'self' 'wasm-unsafe-eval'(;|$)/)
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/http|\*|script-src[^;]*'unsafe-(inline|eval)'/)
    }
  })

  it('is compressed for clients that accept it', async () => {
    const { server } = await startServer({ page })
    const send = (accepted: string) =>
      server.inject({ url: '/assets/x.js', headers: { 'accept-encoding': accepted } })
    const zipped = await send('br, gzip;q=0.8')
    expect(zipped.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(pageScript)
    const plain = await send('br')
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect(plain.payload).toBe(pageScript)
  })

  it('serves only built files', async () => {
    const { send } = await startServer({ page })
    const paths = [
      '/assets/y.js',
      '/assets/notes.txt',
      '/assets/..%2findex.html',
      '/assets/..%2f..%2fsecret.js',
      '/assets/%2e%2e%2f%2e%2e%2fsecret.js',
      '/assets/..%5c..%5csecret.js',
      '/assets/../../secret.js',
      '/assets/__proto__',
      '/assets/',
      '/index.html',
    ]
    for (const path of paths) {
      const { status, text, json } = await send('GET', path)
      expect(text, path).not.toContain('not in the page')
      expect(status, path).toBeGreaterThanOrEqual(400)
      expect(json, path).toHaveProperty('error.code')
      if (status !== 400) expect(status, path).toBe(404)
    }
  })

  it('is not found if the server has no page', async () => {
    const { send } = await startServer()
    for (const path of ['/', '/playground', '/docs', '/assets/x.js']) {
      const { status, json } = await send('GET', path)
      expect([status, json]).toEqual([
        404,
        { error: { code: 'not-found', message: `there is no page at "${path}"` } },
      ])
    }
  })
})
