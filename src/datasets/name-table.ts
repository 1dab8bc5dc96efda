// Maps names to dense indices in order of first appearance.

import { isUtf8 } from 'node:buffer'

/** A growing table of distinct names. */
export class NameTable {
  readonly names: string[] = []
  /** By the bytes of the name, one per character. */
  readonly #indices = new Map<string, number>()

  /**
   * Returns the index of a name with one byte per character, which it adds if it is new; -1 if it is
   * empty or not UTF-8.
   */
  indexOf(name: string): number {
    const known = this.#indices.get(name)
    if (known !== undefined) return known
    const bytes = Buffer.from(name, 'latin1')
    if (name === '' || !isUtf8(bytes)) return -1
    // Both are copies: a part of a text would keep all of the text in memory.
    this.#indices.set(bytes.toString('latin1'), this.names.length)
    return this.names.push(bytes.toString()) - 1
  }
}
