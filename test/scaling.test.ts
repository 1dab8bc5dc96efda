// Runs the commands of docs/scaling.md as they stand, but for ports and folders: two services on one PostgreSQL
// store behind nginx, of which one is killed.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkout, environment } from '../scripts/checkout.ts'
import { nginxPrograms } from '../scripts/ensure-nginx.ts'
import { postgresEnvironment, postgresPrograms } from '../scripts/ensure-postgres.ts'
import { canStartPostgres, sharedPostgres } from './postgres.ts'

/** The tests run the packages without installing them, as one user. */
const sudo = `#!/bin/sh
[ "$1" = apt ] && exit 0
[ "$1" = -u ] && shift 2
exec "$@"
`
const patience = 240_000

/** Ports that were free a moment ago. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

/** The commands of a section, in order. */
function commandsIn(document: string, title: string): string {
  const [, section] = document.split(`\n## ${title}\n`)
  const blocks = section!.split('\n## ')[0]!.matchAll(/^```sh\n(.*?)^```$/gms)
  return Array.from(blocks, ([, commands]) => commands).join('')
}

describe.skipIf(!canStartPostgres || nginxPrograms() === null)('docs/scaling.md', () => {
  it(
    'sets up two services, of which one can die',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'ren-scaling-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const server = await sharedPostgres()
      const [front, one, other] = await freePorts(3)
      const ports = { 7700: front, 7701: one, 7702: other }
      const placed = (given: string): string =>
        Object.entries({ ...ports, '/var/run/postgresql': server.folder }).reduce(
          (all, [from, to]) => all.replaceAll(from, String(to)),
          given,
        )
      const ren = `#!/bin/sh\nexec node ${join(checkout, 'src/cli/main.ts')} "$@"\n`
      for (const [name, script] of Object.entries({ ren, sudo })) {
        writeFileSync(join(folder, name), script, { mode: 0o755 })
      }
      const own = join(folder, 'nginx-several.conf')
      copyFileSync(join(checkout, 'deploy', 'nginx-several.conf'), own)
      writeFileSync(own, placed(readFileSync(own, 'utf8')))
      const document = readFileSync(join(checkout, 'docs', 'scaling.md'), 'utf8')
      const commands = placed(commandsIn(document, 'Set up two services in five minutes'))
      expect(commands).toContain('kill -9 $first')
      const child = spawn('bash', ['-ex'], {
        cwd: folder,
        env: {
          ...environment,
          ...postgresEnvironment(),
          PATH: [folder, postgresPrograms()!, nginxPrograms()!, environment['PATH']].join(
            delimiter,
          ),
          PGHOST: server.folder,
          PGUSER: 'postgres',
          USER: 'shop',
        },
      })
      // Whatever happens, no process stays.
      const atEnd = `trap 'kill -9 $first $second 2>/dev/null || true; kill $(cat nginx.pid) 2>/dev/null || true' EXIT\n`
      child.stdin.end(atEnd + commands)
      const ended = once(child, 'close')
      const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
      await ended
      const log = readFileSync(join(folder, 'second.log'), 'utf8')
      expect(child.exitCode, `${errors}\n${printed}\n${log}`).toBe(0)
      expect(printed.match(/"accepted":1/g)).toHaveLength(2)
      expect(printed.match(/"recommendationId":"/g)).toHaveLength(2)
      expect(printed).toContain('ren_learner 1')
    },
    patience,
  )
})
