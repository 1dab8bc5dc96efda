// Files on disk: why one could not be read or written, and writing that leaves no half file.

import { existsSync } from 'node:fs'
import { access, constants, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

import { RenError } from '../core/errors.ts'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOENT: 'its folder is not there',
  ENOTDIR: 'a part of its path is not a folder',
  ENOSPC: 'no space is left',
  EROFS: 'the file system is read-only',
  EIO: 'the disk failed',
}

export function describeFailure(doing: 'read' | 'write', path: string, cause: unknown): string {
  const code = systemCodeOf(cause)
  if (doing === 'read' && code === 'ENOENT') return `there is no file ${path}`
  const message = cause instanceof Error ? cause.message : String(cause)
  return `cannot ${doing} ${path}: ${reasons[code ?? ''] ?? message}`
}

/** The code of an error of the operating system, such as ENOENT; undefined for any other. */
export function systemCodeOf(error: unknown): string | undefined {
  const isOfSystem = error instanceof Error && 'code' in error && 'syscall' in error
  return isOfSystem ? String(error.code) : undefined
}

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

export const usualData = (): string =>
  process.env['REN_DATA'] ?? ['data', '../shared/data'].find(existsSync) ?? 'data'
