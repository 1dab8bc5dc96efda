// The bytes of a file, chunk by chunk; gzip is recognised by its first two bytes and unpacked.

import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, gunzipSync } from 'node:zlib'

import { RenError } from '../core/errors.ts'

const chunkSize = 1 << 18

/** Hands the file's bytes to `onChunk`. `hint` tells where a file that is missing can be got. */
export async function readChunks(
  path: string,
  hint: string,
  onChunk: (chunk: Uint8Array) => void,
  onProgress?: (share: number) => void,
): Promise<void> {
  const file = await openFile(path, hint)
  try {
    const gzip = await isGzip(file)
    const bytes = file.createReadStream({ start: 0, highWaterMark: chunkSize })
    const { size } = await file.stat()
    const consume = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const chunk of chunks) {
        onChunk(chunk)
        onProgress?.(bytes.bytesRead / size)
      }
    }
    if (gzip) await pipeline(bytes, createGunzip({ chunkSize }), consume)
    else await pipeline(bytes, consume)
  } catch (error) {
    throw explain(path, error)
  } finally {
    await file.close()
  }
}

/** The first bytes of a file, unpacked if it is gzip: at most `length`, fewer from a shorter file. */
export async function readStart(path: string, length: number): Promise<Buffer> {
  const file = await openFile(path, '')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
    const bytes = buffer.subarray(0, bytesRead)
    if (!(await isGzip(file))) return bytes
    // The end of the packed data is missing, so nothing but a flush can be waited for.
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, length)
  } catch (error) {
    throw explain(path, error)
  } finally {
    await file.close()
  }
}

async function openFile(path: string, hint: string): Promise<FileHandle> {
  try {
    return await open(path)
  } catch (error) {
    throw new RenError(
      'dataset-missing',
      `expected a file at ${path}, got ${codeOf(error) === 'ENOENT' ? 'none' : codeOf(error)}. ${hint}`.trimEnd(),
      { cause: error },
    )
  }
}

async function isGzip(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0)
  return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
}

/** Errors of unpacking and reading in the package's own words; any other error as it is. */
function explain(path: string, error: unknown): unknown {
  const code = codeOf(error)
  if (code.startsWith('Z_')) {
    const message = `${path}: expected whole gzip data, got damaged or cut off data (${code})`
    return new RenError('dataset-malformed', message, { cause: error })
  }
  if (code === 'EISDIR') {
    const message = `expected a file at ${path}, got a folder`
    return new RenError('dataset-missing', message, { cause: error })
  }
  return error
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
