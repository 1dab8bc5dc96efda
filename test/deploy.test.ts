// The files for operators. The tools that check them run where they are installed.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closeServers, startServer } from './servers.ts'
import { closeServices } from './services.ts'
import { temporaryFiles } from './temporary-files.ts'

closeServices()
closeServers()
const { write } = temporaryFiles()
const pathOf = (name: string): string => join(import.meta.dirname, '../deploy', name)
const textOf = (name: string): string => readFileSync(pathOf(name), 'utf8')

/** Names of metrics in a text, without the suffixes of histograms. */
const metricsIn = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/\b(?:ren|process)_[a-z0-9_]+/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    ),
  )

describe('the files of deploy/', () => {
  it.each(['alerts.yml', 'grafana-dashboard.json'])(
    'name only metrics that the service has: %s',
    async (name) => {
      const { send } = await startServer()
      const { text } = await send('GET', '/metrics')
      const known = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, metric]) => metric!))
      const named = metricsIn(textOf(name))
      expect(named.size).toBeGreaterThan(4)
      expect([...named].filter((metric) => !known.has(metric))).toEqual([])
    },
  )

  it('name only routes that the service has', async () => {
    const routes = /route="(?<method>\w+) (?<path>[^"]+)"/g
    const { send } = await startServer()
    const { paths } = (await send('GET', '/openapi.json')).json as { paths: Record<string, object> }
    const named = [...textOf('alerts.yml').matchAll(routes)]
    expect(named.length).toBeGreaterThan(0)
    for (const { groups } of named) {
      expect(paths[groups!['path']!]).toHaveProperty(groups!['method']!.toLowerCase())
    }
  })
})

const isInstalled = (command: string): boolean =>
  spawnSync(command, ['--version']).error === undefined

/** Runs a checker; its output belongs to the failure message. */
function check(command: string, ...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  expect({ status, output: status === 0 ? '' : `${stdout}${stderr}` }).toEqual({
    status: 0,
    output: '',
  })
}

describe('the checkers of these files accept', () => {
  it.skipIf(!isInstalled('promtool'))('alerts.yml', () => {
    check('promtool', 'check', 'rules', pathOf('alerts.yml'))
  })

  it.skipIf(!isInstalled('caddy'))('Caddyfile', () => {
    check('caddy', 'validate', '--adapter', 'caddyfile', '--config', pathOf('Caddyfile'))
  })

  it.skipIf(!isInstalled('systemd-analyze'))('ren.service', () => {
    // The unit names a program that this machine may not have.
    const unit = textOf('ren.service').replace('/usr/bin/node', '/bin/true')
    check('systemd-analyze', 'verify', write(unit, 'ren.service'))
  })

  it.skipIf(!isInstalled('nginx') || !isInstalled('openssl'))('nginx.conf', () => {
    const [key, certificate] = [write('', 'key.pem'), write('', 'certificate.pem')]
    const files = ['-keyout', key, '-out', certificate, '-subj', '/CN=recommend.example']
    check('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files)
    const server = textOf('nginx.conf')
      .replace('/etc/ssl/recommend.example.pem', certificate)
      .replace('/etc/ssl/recommend.example.key', key)
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((one) => `${one}_temp_path ${key}.${one};`)
      .join(' ')
    const whole = `pid ${key}.pid; error_log stderr; events {} http { access_log off; ${places} ${server} }`
    check('nginx', '-t', '-e', 'stderr', '-c', write(whole, 'nginx.conf'))
  })
})
