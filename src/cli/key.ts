// ren key: creates, lists and revokes API keys, even while a service runs.

import { InvalidArgumentError, type Command } from 'commander'

import { invalid } from '../core/errors.ts'
import { makeKey } from '../service/http/key-ring.ts'
import type { KeyScope, StoredKey } from '../storage/index.ts'
import { addStoreOption, withStore, withStoreOrNew, type StoreOption } from './store-option.ts'

interface KeyOptions extends StoreOption {
  readonly json?: true
}

interface CreateOptions extends KeyOptions {
  readonly name: string
  readonly scope: readonly KeyScope[]
}

const scopes: readonly KeyScope[] = ['recommend', 'events', 'admin']

export function addKey(program: Command): void {
  const command = program.command('key').description('create, list and revoke API keys')
  addKeyOptions(command.command('create'), 'create a key and print it once')
    .requiredOption('--name <name>', 'a name for the key')
    .requiredOption('--scope <scopes>', `one or more of ${scopes.join(',')}`, scopesOption)
    .action(createKey)
  addKeyOptions(command.command('list'), 'list all keys').action(listKeys)
  addKeyOptions(
    command.command('revoke'),
    'revoke a key; a running service refuses it within one second',
  )
    .argument('<id>', 'the id that ren key list shows')
    .action(revokeKey)
}

function addKeyOptions(command: Command, description: string): Command {
  addStoreOption(command.description(description))
  return command.option('--json', 'print one JSON document')
}

function scopesOption(text: string): readonly KeyScope[] {
  const named = [...new Set(text.split(',').map((scope) => scope.trim()))]
  const known = scopes.filter((scope) => named.includes(scope))
  if (known.length === named.length) return known
  throw new InvalidArgumentError(`Expected one or more of ${scopes.join(', ')}, comma-separated.`)
}

async function createKey(options: CreateOptions): Promise<void> {
  const { name, scope, json } = options
  if (name.trim() === '') throw invalid('--name must not be empty')
  const { key, stored } = makeKey({ name, scopes: scope, time: Date.now() })
  // The first key is needed before a public service starts for the first time.
  await withStoreOrNew(options, (store) => store.addKey(stored))
  if (json) return console.log(JSON.stringify({ key, ...withoutHash(stored) }))
  console.log(key)
  console.error(
    `created ${stored.id} (${name}) for ${scope.join(', ')}; copy the key now, it is not shown again`,
  )
}

async function listKeys(options: KeyOptions): Promise<void> {
  const keys = await withStore(options, (store) => store.keys())
  if (options.json) return console.log(JSON.stringify(keys.map(withoutHash)))
  for (const { id, name, scopes: granted, created, revoked } of keys) {
    const until = revoked === null ? '' : `, revoked ${timeOf(revoked)}`
    console.log(
      `${id}  ${granted.join(',').padEnd(22)}  ${name}, created ${timeOf(created)}${until}`,
    )
  }
  if (keys.length === 0) console.log('there are no keys, so local requests need none')
}

async function revokeKey(id: string, options: KeyOptions): Promise<void> {
  const revoked = await withStore(options, async (store) => {
    if (await store.revokeKey(id, Date.now())) return true
    const known = (await store.keys()).find((key) => key.id === id)
    if (known) return false
    throw invalid(`no key has the id ${id}; ren key list shows all ids`)
  })
  if (options.json) console.log(JSON.stringify({ id, revoked }))
  else console.log(revoked ? `revoked ${id}` : `${id} was already revoked`)
}

function withoutHash(key: StoredKey): Omit<StoredKey, 'hash'> {
  const { hash: _, ...rest } = key
  return rest
}

/** 2026-11-15 10:30, in UTC. */
const timeOf = (time: number): string => new Date(time).toISOString().slice(0, 16).replace('T', ' ')
