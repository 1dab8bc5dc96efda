// Typed arrays and lists that grow while a file is read.

import type { IndexLists } from '../core/impression-log.ts'

type Numbers = Uint8Array | Int32Array | Float32Array | Float64Array

/** A growable typed array, such as `new GrowingColumn(Int32Array)`. */
export class GrowingColumn<T extends Numbers> {
  readonly #kind: new (length: number) => T
  #store: T
  #length = 0

  constructor(kind: new (length: number) => T) {
    this.#kind = kind
    this.#store = new kind(1 << 10)
  }

  get length(): number {
    return this.#length
  }

  push(value: number): void {
    if (this.#length === this.#store.length) {
      const wider = new this.#kind(2 * this.#length)
      wider.set(this.#store)
      this.#store = wider
    }
    this.#store[this.#length++] = value
  }

  /** Drops the values from `length` on. */
  truncate(length: number): void {
    this.#length = Math.min(this.#length, length)
  }

  /** Returns a copy of the values. */
  values(): T {
    return this.#store.slice(0, this.#length) as T
  }
}

/** Builds lists value by value. */
export class ListBuilder {
  readonly #offsets = new GrowingColumn(Int32Array)
  readonly #values = new GrowingColumn(Int32Array)
  #ended = 0

  constructor() {
    this.#offsets.push(0)
  }

  /** The number of values in the current list. */
  get pending(): number {
    return this.#values.length - this.#ended
  }

  push(value: number): void {
    this.#values.push(value)
  }

  /** Ends the current list and starts another. */
  end(): void {
    this.#ended = this.#values.length
    this.#offsets.push(this.#ended)
  }

  /** Drops the current list. */
  discard(): void {
    this.#values.truncate(this.#ended)
  }

  /** Returns the completed lists. */
  build(): IndexLists {
    const values = this.#values.values().subarray(0, this.#ended)
    return { offsets: this.#offsets.values(), values }
  }
}
