// A list of rows in columns, in a block of a pool. It grows at the end and forgets at the start.

import { newColumns } from './row-pool.ts'
import type { Columns, Form, Layout, RowPool, Slab, Tenant } from './row-pool.ts'

/** What may be read of a list. */
export interface PackedRows<L extends Layout> {
  readonly length: number
  /** How many rows were dropped from the start; never falls. */
  readonly dropped: number
  /**
   * Rows `from` to `to` (excluded) without a copy: to be read before the next event, after which
   * others may stand there.
   */
  columns(from?: number, to?: number): Columns<L>
  /** One of them: a view costs as much as reading a dozen values. */
  column<C extends keyof L>(name: C, from?: number, to?: number): Columns<L>[C]
}

const growth = 1.25
const slack = 1.25

export class PackedList<L extends Layout> implements PackedRows<L>, Tenant<L> {
  readonly #pool: RowPool<L>
  #slab: Slab<L> | null = null
  #start = 0
  #capacity = 0
  #length = 0
  #dropped = 0

  constructor(pool: RowPool<L>) {
    this.#pool = pool
  }

  /** A copy of some rows. */
  static of<L extends Layout>(pool: RowPool<L>, rows: Columns<L>, dropped = 0): PackedList<L> {
    const list = new PackedList(pool)
    list.append(rows)
    list.#dropped = dropped
    return list
  }

  /** The next `rows` of a slab, which are the list's from here on. */
  static in<L extends Layout>(
    pool: RowPool<L>,
    slab: Slab<L>,
    rows: number,
    dropped: number,
  ): PackedList<L> {
    const list = new PackedList(pool)
    if (rows > 0) list.#settle(slab, rows)
    list.#length = rows
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
    const { form } = this.#pool
    if (this.#slab === null) return form.noRows
    const { columns } = this.#slab
    const views: Partial<Record<keyof L, unknown>> = {}
    for (const { name } of form.columns) {
      views[name] = columns[name].subarray(this.#start + from, this.#start + to)
    }
    return views as Columns<L>
  }

  column<C extends keyof L>(name: C, from = 0, to = this.#length): Columns<L>[C] {
    if (this.#slab === null) return this.#pool.form.noRows[name]
    const column = this.#slab.columns[name]
    return column.subarray(this.#start + from, this.#start + to) as Columns<L>[C]
  }

  push(row: Readonly<Record<keyof L, number>>): void {
    const at = this.#extend(1)
    const { columns } = this.#slab!
    for (const { name } of this.#pool.form.columns) columns[name][at] = row[name]
  }

  append(rows: Columns<L>): void {
    const [first] = this.#pool.form.columns
    const { length } = rows[first!.name]
    if (length === 0) return
    const at = this.#extend(length)
    const { columns } = this.#slab!
    for (const { name } of this.#pool.form.columns) columns[name].set(rows[name], at)
  }

  /** How many rows to drop where `most` should stay: none before a quarter more, to move them rarely. */
  excess(most: number): number {
    return this.#length > slack * most ? this.#length - most : 0
  }

  /** To be called before rows are written to where they stand: what another reads too is copied first. */
  own(): void {
    if (this.#slab?.isShared === true) this.#move(this.#capacity)
  }

  dropFirst(count: number): void {
    if (count === 0) return
    this.own()
    for (const column of Object.values(this.columns())) column.copyWithin(0, count)
    this.#length -= count
    this.#dropped += count
  }

  /** Empties the list, whose block another slab may then do without. */
  release(): void {
    const [slab, capacity] = [this.#slab, this.#capacity]
    this.#slab = null
    this.#capacity = 0
    this.#length = 0
    slab?.give(capacity)
    this.#pool.tidy(slab)
  }

  leave(slab: Slab<L>): void {
    // With room to grow: who has none would leave a gap there soon.
    const capacity = Math.max(this.#capacity, Math.ceil(this.#length * growth))
    if (this.#slab === slab) this.#move(capacity)
  }

  /** Where the first of so many new rows stands in the slab. */
  #extend(count: number): number {
    const before = this.#length
    const length = before + count
    if (length > this.#capacity) this.#move(Math.max(length, Math.ceil(before * growth)))
    this.#length = length
    return this.#start + before
  }

  #move(capacity: number): void {
    const [old, oldCapacity, rows] = [this.#slab, this.#capacity, this.columns()]
    this.#settle(this.#pool.slabFor(capacity), capacity)
    const { columns } = this.#slab!
    for (const { name } of this.#pool.form.columns) columns[name].set(rows[name], this.#start)
    old?.give(oldCapacity)
    // Last, for it may move this list too.
    this.#pool.tidy(old)
  }

  #settle(slab: Slab<L>, rows: number): void {
    this.#slab = slab
    this.#start = slab.take(rows, this)
    this.#capacity = rows
  }
}

/** All rows of one list after the other. */
export function joinRows<L extends Layout>(
  form: Form<L>,
  lists: readonly PackedRows<L>[],
): Columns<L> {
  const columns = newColumns(
    form,
    lists.reduce((sum, { length }) => sum + length, 0),
  )
  let at = 0
  for (const list of lists) {
    const rows = list.columns()
    for (const { name } of form.columns) columns[name].set(rows[name], at)
    at += list.length
  }
  return columns
}
