// A snapshot on its way to the thread that writes, cut into pieces.

import type { NewSnapshot, SnapshotInfo } from '../event-store.ts'
import { toJson } from '../plain-json.ts'
import type { Writer } from './writer.ts'

const pieceBytes = 1 << 20

/** The next piece is sent when the one before is durable; other calls go between them. */
export async function sendSnapshot(
  writer: Writer,
  snapshot: NewSnapshot,
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<SnapshotInfo> {
  const { kind, scope, position, time } = snapshot
  const about = toJson(snapshot.about, 'about')
  const head = { kind, scope, position, time }
  const id = await writer.call('beginSnapshot', { ...head, about })
  try {
    let count = 0
    let bytes = 0
    for await (const part of parts) {
      bytes += part.byteLength
      await sendPart(writer, id, count++, part)
    }
    await writer.call('finishSnapshot', { id, parts: count, bytes })
    return { id, ...head, about: JSON.parse(about) as NewSnapshot['about'], bytes, readable: true }
  } catch (error) {
    await writer.call('abandonSnapshot', { id })
    await sweep(writer)
    throw error
  }
}

async function sendPart(
  writer: Writer,
  snapshot: number,
  part: number,
  whole: Uint8Array,
): Promise<void> {
  const pieces = Math.max(1, Math.ceil(whole.byteLength / pieceBytes))
  for (let piece = 0; piece < pieces; piece++) {
    // A copy, which can be handed over; the caller's bytes stay the caller's.
    const bytes = new Uint8Array(whole.subarray(piece * pieceBytes, (piece + 1) * pieceBytes))
    const isLast = piece === pieces - 1
    await writer.call('writePiece', { snapshot, part, piece, isLast, bytes }, [bytes.buffer])
  }
}

/** Deletes the bytes of what was dropped, a little at a time. */
export async function sweep(writer: Writer): Promise<void> {
  while (await writer.call('sweep', null));
}
