// The tests of the PostgreSQL store start a server of their own. Its programs are those of REN_POSTGRES_BIN, of an
// installed PostgreSQL 15 or newer, or of Debian's package, which this script unpacks without installing it.
// Otherwise it prints a message, and these tests are skipped. REN_TEST_POSTGRES names a running server instead.

import { spawnSync } from 'node:child_process'
import { existsSync, globSync, rmSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { checkout } from './checkout.ts'
import { canUnpack, unpackPackages } from './debian-package.ts'

const oldest = 15
const unpacked = join(checkout, 'node_modules', '.cache', 'ren-postgres')
const installed = '/usr/lib/postgresql/*/bin/postgres'

/** The folder with the programs of PostgreSQL; null without one. */
export function postgresPrograms(): string | null {
  const given = process.env['REN_POSTGRES_BIN']
  const found = [installed, join(unpacked, installed)].flatMap((pattern) =>
    globSync(pattern)
      .toSorted((a, b) => versionIn(b) - versionIn(a))
      .filter((path) => versionIn(path) >= oldest),
  )
  const [program] = given === undefined ? found : [join(given, 'postgres')]
  return program !== undefined && existsSync(program) ? dirname(program) : null
}

const versionIn = (path: string): number => Number(/postgresql\/(\d+)/.exec(path)?.[1] ?? 0)

/** The environment of the programs: an unpacked package has its libraries beside them. */
export const postgresEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  LC_ALL: 'C',
  LD_LIBRARY_PATH: [
    ...globSync(join(unpacked, 'usr/lib/*-linux-gnu')),
    ...(process.env['LD_LIBRARY_PATH']?.split(delimiter) ?? []),
  ].join(delimiter),
})

/** Unpacks PostgreSQL if necessary and possible, and prints what it did. */
export function ensurePostgres(): void {
  if (process.env['REN_TEST_POSTGRES'] !== undefined || postgresPrograms() !== null) return
  if (!canUnpack()) return say(`PostgreSQL ${oldest} or newer is missing`)
  say(`PostgreSQL ${oldest} or newer is missing: unpacking the package of Debian`)
  unpack()
  if (postgresPrograms() !== null && !runs()) rmSync(unpacked, { recursive: true })
  say(postgresPrograms() === null ? 'the package could not be unpacked' : `it is in ${unpacked}`)
}

function unpack(): void {
  const search = ['search', '--names-only', '^postgresql-[0-9]+$']
  const names = spawnSync('apt-cache', search, { encoding: 'utf8' }).stdout ?? ''
  const versions = Array.from(names.matchAll(/^postgresql-(\d+) /gm), ([, version]) =>
    Number(version),
  )
  const version = Math.max(...versions)
  if (version < oldest) return
  unpackPackages([`postgresql-${version}`, `postgresql-client-${version}`, 'libpq5'], unpacked)
}

/** Whether the libraries that the unpacked programs need are there. */
const runs = (): boolean =>
  ['postgres', 'initdb'].every((program) => {
    const path = join(postgresPrograms()!, program)
    return spawnSync(path, ['--version'], { env: postgresEnvironment() }).status === 0
  })

function say(what: string): void {
  const consequence =
    postgresPrograms() === null ? ' (without it the tests of the PostgreSQL store are skipped)' : ''
  console.log(`postgres: ${what}${consequence}`)
}

if (import.meta.main) ensurePostgres()
