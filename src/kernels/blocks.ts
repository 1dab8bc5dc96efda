// First fit over a list of holes sorted by address; neighbours are joined when freed.

import { RenError } from '../core/errors.ts'

const PAGE = 65_536
/** A WebAssembly memory's most, in pages: 4 GB. */
export const MAXIMUM_PAGES = 65_536
const ALIGNMENT = 64
const GROWTH = 256 // pages at a time, at least: 16 MB

export interface Blocks {
  /** The address of so many bytes of zeros; `what` is what errors call them. */
  allocate(what: string, bytes: number): number
  free(address: number): void
}

export function createBlocks(memory: WebAssembly.Memory): Blocks {
  // Address 0 is never handed out, so a forgotten address is never a valid one.
  const holes = [{ address: ALIGNMENT, bytes: memory.buffer.byteLength - ALIGNMENT }]
  const sizes = new Map<number, number>()
  let inUse = 0
  /** From here on nothing was ever handed out: those pages are zeros, and cost nothing until used. */
  let fresh = ALIGNMENT

  function allocate(what: string, bytes: number): number {
    const needed = Math.ceil(bytes / ALIGNMENT) * ALIGNMENT
    let at = holes.findIndex((hole) => hole.bytes >= needed)
    if (at < 0) {
      grow(what, needed)
      at = holes.length - 1
    }
    const hole = holes[at]!
    if (hole.bytes === needed) holes.splice(at, 1)
    else holes[at] = { address: hole.address + needed, bytes: hole.bytes - needed }
    sizes.set(hole.address, needed)
    inUse += needed
    const used = Math.min(needed, fresh - hole.address)
    if (used > 0) new Uint8Array(memory.buffer, hole.address, used).fill(0)
    fresh = Math.max(fresh, hole.address + needed)
    return hole.address
  }

  function free(address: number): void {
    const bytes = sizes.get(address)!
    sizes.delete(address)
    inUse -= bytes
    addHole({ address, bytes })
  }

  /** Grows the memory until the hole at its end has room. */
  function grow(what: string, needed: number): void {
    const end = memory.buffer.byteLength
    const last = holes.at(-1)
    const atEnd = last !== undefined && last.address + last.bytes === end ? last.bytes : 0
    const missing = Math.ceil((needed - atEnd) / PAGE)
    const room = MAXIMUM_PAGES - end / PAGE
    const refused = (reason: string, cause?: unknown) =>
      new RenError(
        'out-of-memory',
        `${what} needs ${needed.toLocaleString('en')} bytes beside the ${inUse.toLocaleString('en')} in use: ${reason}`,
        { cause },
      )
    if (missing > room) throw refused('one engine addresses 4 GB')
    try {
      memory.grow(Math.min(room, Math.max(missing, GROWTH)))
    } catch (error) {
      throw refused('the machine refused to grow the memory', error)
    }
    addHole({ address: end, bytes: memory.buffer.byteLength - end })
  }

  function addHole(hole: { address: number; bytes: number }): void {
    let at = holes.findIndex((h) => h.address > hole.address)
    if (at < 0) at = holes.length
    holes.splice(at, 0, hole)
    joinWithNext(at)
    if (at > 0) joinWithNext(at - 1)
  }

  function joinWithNext(at: number): void {
    const [hole, next] = [holes[at]!, holes[at + 1]]
    if (next === undefined || hole.address + hole.bytes !== next.address) return
    holes.splice(at, 2, { address: hole.address, bytes: hole.bytes + next.bytes })
  }

  return { allocate, free }
}
