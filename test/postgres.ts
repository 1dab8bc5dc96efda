// A PostgreSQL server for tests, on a socket in a temporary folder. The tests of one worker share it; each test
// file uses schemas of its own. It ends with the process that started it.

import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { postgresEnvironment, postgresPrograms } from '../scripts/ensure-postgres.ts'

const given = process.env['REN_TEST_POSTGRES']

/** Whether tests can use a PostgreSQL server. */
export const hasPostgres = given !== undefined || postgresPrograms() !== null
/** Whether tests can start a PostgreSQL server of their own. */
export const canStartPostgres = postgresPrograms() !== null

export interface PostgresServer {
  /** The folder of its socket. */
  readonly folder: string
  /** The address of a schema. The user `locked` needs a password; see `lockedAddress`. */
  address(schema: string, user?: string): string
  /** Ends it like a crash, and starts it again. */
  crash(): Promise<void>
  stop(): Promise<void>
}

/** PostgreSQL refuses to run as root. */
const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

// Stops the server at once, like a crash, when the input has a line or ends. It ends when the process of the tests
// ends in whatever way; the folder is then removed.
const watch = `"$@" & server=$!; read -r again; kill -QUIT $server; wait $server; [ "$again" ] || rm -rf "$0"`

/** Without syncs, which matter only if the machine crashes. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ren-pg-'))
  const data = join(folder, 'data')
  mkdirSync(data)
  for (const path of [folder, data])
    if (owner.uid !== undefined) chownSync(path, owner.uid, owner.gid)
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C']
  runProgram('initdb', [`--pgdata=${data}`, ...options, '--no-sync'])
  writeFileSync(join(data, 'pg_hba.conf'), 'local all locked scram-sha-256\nlocal all all trust\n')
  appendFileSync(
    join(data, 'postgresql.conf'),
    `listen_addresses = ''\nunix_socket_directories = '${folder}'\nshared_buffers = 32MB\n` +
      'max_connections = 200\nfsync = off\n',
  )
  let server = await start(folder, data)
  const address = (schema: string, user = 'postgres'): string =>
    `postgres://${user}@localhost/postgres?host=${folder}&schema=${schema}`
  return {
    folder,
    address,
    async crash() {
      await end(server, 'again\n')
      server = await start(folder, data)
    },
    stop: () => end(server, ''),
  }
}

async function end(server: ChildProcess, input: string): Promise<void> {
  const ended = once(server, 'exit')
  server.ref()
  server.stdin!.end(input)
  await ended
}

function runProgram(name: string, args: readonly string[]): string {
  const path = join(postgresPrograms()!, name)
  const result = spawnSync(path, args, {
    ...owner,
    cwd: '/',
    env: postgresEnvironment(),
    encoding: 'utf8',
  })
  if (result.status !== 0) throw new Error(`${name} failed: ${result.stdout}${result.stderr}`)
  return result.stdout
}

/** Runs SQL as the owner of the server. Returns the rows as text. */
export const runSql = ({ folder }: PostgresServer, sql: string): string =>
  runProgram('psql', ['-h', folder, '-U', 'postgres', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-c', sql])

/** A schema as SQL. */
export const dumpOf = ({ folder }: PostgresServer, schema: string): string =>
  runProgram('pg_dump', ['-h', folder, '-U', 'postgres', '-n', schema, 'postgres'])

async function start(folder: string, data: string): Promise<ChildProcess> {
  const program = join(postgresPrograms()!, 'postgres')
  const server = spawn('/bin/sh', ['-c', watch, folder, program, '-D', data], {
    ...owner,
    cwd: '/',
    env: postgresEnvironment(),
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let log = ''
  server.stderr.on('data', (text) => (log += String(text)))
  for (let tries = 0; !log.includes('ready to accept connections'); tries++) {
    if (server.exitCode !== null || tries > 1000) throw new Error(`no server: ${log}`)
    await setTimeout(10)
  }
  for (const handle of [server, server.stdin, server.stderr])
    (handle as { unref?(): void }).unref?.()
  return server
}

let shared: Promise<PostgresServer> | undefined

/** The server of this worker. */
export const sharedPostgres = (): Promise<PostgresServer> => (shared ??= startPostgres())

let lockedPassword: string | undefined

/** The address of a schema with a user who needs a password, and the password. */
export async function lockedAddress(schema: string) {
  const server = await sharedPostgres()
  if (lockedPassword === undefined) {
    lockedPassword = 'let me/in@7'
    const create = `create role locked login password '${lockedPassword}'`
    runSql(server, `${create}; grant create on database postgres to locked`)
  }
  const user = `locked:${encodeURIComponent(lockedPassword)}`
  return { address: server.address(schema, user), password: lockedPassword }
}

let schemas = 0

/** The address of a new schema. */
export async function freshSchema(): Promise<string> {
  const schema = `test_${process.pid}_${(schemas += 1)}`
  if (given !== undefined) return `${given}${given.includes('?') ? '&' : '?'}schema=${schema}`
  return (await sharedPostgres()).address(schema)
}
