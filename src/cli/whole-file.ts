// Files that are whole or not there at all.

import { access, constants, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

import { RenError } from '../core/errors.ts'
import { describeFailure } from './file-failure.ts'

/** Refuses a path that could not be written to, before work is done that would be lost. */
export async function requireWritable(path: string): Promise<void> {
  const folder = dirname(resolve(path))
  try {
    await access(folder, constants.W_OK)
  } catch (cause) {
    throw new RenError('file-missing', describeFailure('write', path, cause), { cause })
  }
  if ((await stat(path).catch(() => null))?.isDirectory()) {
    throw new RenError('file-missing', `expected the name of a file, ${path} is a folder`)
  }
}

/** Has `write` fill a file beside the old one, which then takes its place. */
export async function writeWhole(
  path: string,
  write: (part: string) => Promise<void>,
): Promise<void> {
  const part = `${path}.part`
  try {
    await write(part)
    await rename(part, path)
  } catch (cause) {
    await rm(part, { force: true }).catch(() => null) // the first failure is the one to tell of
    if (cause instanceof RenError) throw cause
    throw new RenError('file-missing', describeFailure('write', path, cause), { cause })
  }
}
