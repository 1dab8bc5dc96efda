// Why a file could not be read or written, in words.

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
