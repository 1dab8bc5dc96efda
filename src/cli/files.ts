// Files on disk: reading and writing with clear errors, and writing that never leaves a partial file.

import { access, constants, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

import { RenError } from '../core/errors.ts'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOENT: 'its folder does not exist',
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

/** The error of a file that could not be read or written. */
export const fileError = (doing: 'read' | 'write', path: string, cause: unknown): RenError =>
  new RenError('file-missing', describeFailure(doing, path, cause), { cause })

export const readBytes = (path: string): Promise<Buffer> =>
  readFile(path).catch((cause: unknown) => {
    throw fileError('read', path, cause)
  })

/** The code of an error of the operating system, such as ENOENT; undefined for any other. */
export function systemCodeOf(error: unknown): string | undefined {
  const isOfSystem = error instanceof Error && 'code' in error && 'syscall' in error
  return isOfSystem ? String(error.code) : undefined
}

/** Refuses a path that cannot be written, before the work whose result would be lost. */
export async function requireWritable(path: string): Promise<void> {
  const folder = dirname(resolve(path))
  try {
    await access(folder, constants.W_OK)
  } catch (cause) {
    throw fileError('write', path, cause)
  }
  if ((await stat(path).catch(() => null))?.isDirectory()) {
    throw new RenError('file-missing', `${path} must be a file, but it is a folder`)
  }
}

/** Calls `write` with a temporary path, and then moves that file to `path`. */
export async function writeWhole(
  path: string,
  write: (part: string) => Promise<void>,
): Promise<void> {
  const part = `${path}.part`
  try {
    await write(part)
    await rename(part, path)
  } catch (cause) {
    // Only the first failure is reported.
    await rm(part, { force: true }).catch(() => null)
    throw cause instanceof RenError ? cause : fileError('write', path, cause)
  }
}
