// A list of rows in one buffer, column beside column: a million users' interactions cost their
// bytes and no objects. It grows at the end and forgets at the start.

const arrays = {
  float64: Float64Array,
  int32: Int32Array,
  float32: Float32Array,
  uint8: Uint8Array,
} as const

/** What holds the values of each type. */
export interface ArrayTypes {
  readonly float64: Float64Array<ArrayBuffer>
  readonly int32: Int32Array<ArrayBuffer>
  readonly float32: Float32Array<ArrayBuffer>
  readonly uint8: Uint8Array<ArrayBuffer>
}

/** The columns of a row by name. */
export type Layout = Readonly<Record<string, keyof ArrayTypes>>

/** One array a column, equally long. */
export type Columns<L extends Layout> = { readonly [C in keyof L]: ArrayTypes[L[C]] }

interface Column<L extends Layout> {
  readonly name: keyof L & string
  readonly array: (typeof arrays)[keyof ArrayTypes]
  /** Bytes of a row before it. */
  readonly offset: number
}

export interface Form<L extends Layout> {
  readonly layout: L
  readonly columns: readonly Column<L>[]
  readonly rowBytes: number
}

/** Wide columns come first, so that all are aligned whatever the number of rows. */
export function formOf<const L extends Layout>(layout: L): Form<L> {
  let rowBytes = 0
  const columns = Object.entries(layout)
    .map(([name, type]) => ({ name, array: arrays[type] }))
    .toSorted((a, b) => b.array.BYTES_PER_ELEMENT - a.array.BYTES_PER_ELEMENT)
    .map(({ name, array }) => {
      const offset = rowBytes
      rowBytes += array.BYTES_PER_ELEMENT
      return { name, array, offset }
    })
  return { layout, columns, rowBytes }
}

/** What may be read of a list. */
export interface PackedRows<L extends Layout> {
  readonly length: number
  /** How many rows were dropped from the start; never falls. */
  readonly dropped: number
  /** Rows `from` to `to` (excluded) without a copy: good until the list next changes. */
  columns(from?: number, to?: number): Columns<L>
}

const nothing = new ArrayBuffer(0)
const growth = 1.25
const slack = 1.25

export class PackedList<L extends Layout> implements PackedRows<L> {
  readonly #form: Form<L>
  #buffer = nothing
  #length = 0
  #dropped = 0

  constructor(form: Form<L>) {
    this.#form = form
  }

  /** A copy of rows `from` to `to` (excluded). */
  static of<L extends Layout>(
    form: Form<L>,
    rows: Columns<L>,
    from: number,
    to: number,
    dropped = 0,
  ): PackedList<L> {
    const list = new PackedList(form)
    const copy = list.#extend(to - from)
    for (const { name } of form.columns) copy[name].set(rows[name].subarray(from, to))
    list.#dropped = dropped
    return list
  }

  /** A copy of one list after the other. */
  static joined<L extends Layout>(
    form: Form<L>,
    lists: readonly PackedRows<L>[],
    dropped = 0,
  ): PackedList<L> {
    const list = new PackedList(form)
    list.#extend(lists.reduce((sum, { length }) => sum + length, 0))
    list.#length = 0
    for (const part of lists) list.append(part.columns())
    list.#dropped = dropped
    return list
  }

  get length(): number {
    return this.#length
  }

  get dropped(): number {
    return this.#dropped
  }

  columns(from = 0, to = this.#length): Columns<L> {
    return this.#columnsOf(this.#buffer, from, to)
  }

  push(row: Readonly<Record<keyof L, number>>): void {
    const added = this.#extend(1)
    for (const { name } of this.#form.columns) added[name][0] = row[name]
  }

  append(rows: Columns<L>): void {
    const [first] = this.#form.columns
    const added = this.#extend(rows[first!.name].length)
    for (const { name } of this.#form.columns) added[name].set(rows[name])
  }

  /** How many rows to drop where `most` should stay: none before a quarter more, to move them rarely. */
  excess(most: number): number {
    return this.#length > slack * most ? this.#length - most : 0
  }

  dropFirst(count: number): void {
    if (count === 0) return
    for (const column of Object.values(this.columns())) column.copyWithin(0, count)
    this.#length -= count
    this.#dropped += count
  }

  #columnsOf(buffer: ArrayBuffer, from: number, to: number): Columns<L> {
    const { columns, rowBytes } = this.#form
    const capacity = buffer.byteLength / rowBytes
    const views: Partial<Record<keyof L, unknown>> = {}
    for (const { name, array, offset } of columns) {
      const start = capacity * offset + from * array.BYTES_PER_ELEMENT
      views[name] = new array(buffer, start, to - from)
    }
    return views as Columns<L>
  }

  /** New rows at the end, to be written to. */
  #extend(count: number): Columns<L> {
    const { rowBytes } = this.#form
    const before = this.#length
    this.#length += count
    if (this.#length * rowBytes > this.#buffer.byteLength) {
      const capacity = Math.max(this.#length, Math.ceil(before * growth))
      const room = new ArrayBuffer(capacity * rowBytes)
      const [from, to] = [this.columns(0, before), this.#columnsOf(room, 0, before)]
      for (const { name } of this.#form.columns) to[name].set(from[name])
      this.#buffer = room
    }
    return this.columns(before)
  }
}
