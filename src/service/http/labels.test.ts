import { describe, expect, it } from 'vitest'

import { testPage } from '../../../test/test-page.ts'
import { closeServers, startServer } from '../../../test/servers.ts'
import { closeServices } from '../../../test/services.ts'
import { temporaryFiles } from '../../../test/temporary-files.ts'
import type { ServerOptions } from './options.ts'

closeServices()
closeServers()
const page = testPage(temporaryFiles())

async function labelsOf(attributes: object, options: ServerOptions = {}) {
  const { send } = await startServer(options)
  await send('PUT', '/v1/items/film', { body: { attributes } })
  const { json } = await send('POST', '/v1/items/labels', { body: { items: ['film'] } })
  const { labels } = json as { labels: { title: string | null; image: string | null }[] }
  return labels[0]!
}

describe('POST /v1/items/labels', () => {
  it('returns titles in the order of the request, and null for items without one', async () => {
    const { send } = await startServer()
    await send('PUT', '/v1/items/one', { body: { attributes: { title: 'Toy Train' } } })
    const items = ['a', 'one', 'no such item']
    const { status, json } = await send('POST', '/v1/items/labels', { body: { items } })
    expect([status, json]).toEqual([
      200,
      {
        labels: [
          { item: 'a', title: null, image: null },
          { item: 'one', title: 'Toy Train', image: null },
          { item: 'no such item', title: null, image: null },
        ],
      },
    ])
  })

  it('prefers title to name, and uses the attributes of the server options', async () => {
    expect((await labelsOf({ name: 'Heat' })).title).toBe('Heat')
    expect((await labelsOf({ name: 'Heat', title: 'Heat (1995)' })).title).toBe('Heat (1995)')
    expect((await labelsOf({ name: 'Heat', title: ' ' })).title).toBe('Heat')
    expect((await labelsOf({ title: ['Heat', 'Ronin'] })).title).toBeNull()
    const options = { titleAttributes: ['label'], imageAttributes: ['poster'] }
    const attributes = { title: 'Heat', label: 1995, image: '/a.png', poster: '/b.png' }
    expect(await labelsOf(attributes, options)).toMatchObject({ title: '1995', image: '/b.png' })
  })

  it.each([
    ['/covers/1.png', true],
    ['data:image/png;base64,AAAA', true],
    ['https://images.example/1.png', true],
    ['HTTPS://Images.Example/1.png', true],
    ['http://images.example/1.png', false],
    ['https://other.example/1.png', false],
    ['https://images.example.other.example/1.png', false],
    ['https://images.example@other.example/1.png', false],
    ['//other.example/1.png', false],
    ['/\\other.example/1.png', false],
    ['data:text/html,hello', false],
    ['javascript:alert(1)', false],
    ['1.png', false],
  ])('returns the image %s if the dashboard may load it: %s', async (image, isAnswered) => {
    const label = await labelsOf({ image }, { imageHosts: ['images.example'] })
    expect(label.image).toBe(isAnswered ? image : null)
  })

  it('refuses more items than its limit', async () => {
    const { send } = await startServer()
    const items = Array.from({ length: 1001 }, (_, i) => `${i}`)
    expect((await send('POST', '/v1/items/labels', { body: { items } })).status).toBe(400)
  })
})

describe('image hosts', () => {
  it('are in the content security policy of the page', async () => {
    const policyOf = async (imageHosts: readonly string[]) => {
      const { send } = await startServer({ page, imageHosts })
      return String((await send('GET', '/')).headers['content-security-policy'])
    }
    expect(await policyOf([])).toContain("img-src 'self' data: blob:;")
    expect(await policyOf(['images.example', 'cdn.example:8443'])).toContain(
      "img-src 'self' data: blob: https://images.example https://cdn.example:8443;",
    )
  })

  it.each(["a.example; script-src 'unsafe-inline'", 'https://a.example', '*', 'a b', ''])(
    'must be names of hosts, not %j',
    async (host) => {
      await expect(startServer({ imageHosts: [host] })).rejects.toThrow(
        /imageHosts must be host names such as images\.example, got /,
      )
    },
  )
})
