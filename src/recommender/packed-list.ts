// A list of rows in columns, in a block of a pool. It grows at the end and drops rows at the start.

/** The read-only view of a list. */
export interface PackedRows<L extends Layout> {
  readonly length: number
  /** The number of rows that were dropped from the start; never falls. */
  readonly dropped: number
  /**
   * Returns rows `from` to `to` (exclusive) without a copy. Read them before the next event, which
   * may overwrite them.
   */
  columns(from?: number, to?: number): Columns<L>
  /** Returns one column. Creating a view costs as much as reading a dozen values. */
  column<C extends keyof L>(name: C, from?: number, to?: number): Columns<L>[C]
}

const growth = 1.25
const slack = 1.25

export class PackedList<L extends Layout> implements PackedRows<L> {
  readonly #pool: RowPool<L>
  #slab: Slab<L> | null = null
  #start = 0
  #capacity = 0
  #length = 0
  #dropped = 0

  constructor(pool: RowPool<L>) {
    this.#pool = pool
  }

  /** Creates a list with a copy of some rows. */
  static of<L extends Layout>(pool: RowPool<L>, rows: Columns<L>, dropped = 0): PackedList<L> {
    const list = new PackedList(pool)
    list.append(rows)
    list.#dropped = dropped
    return list
  }

  /** Creates a list of the next `rows` rows of a slab, in place. */
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

  /**
   * The number of rows beyond `max`; 0 up to a quarter more than `max`, so that rows move rarely.
   */
  excess(max: number): number {
    return this.#length > slack * max ? this.#length - max : 0
  }

  /** Copies rows that another thread reads. Call it before you write to rows in place. */
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

  /** Empties the list and frees its block. */
  release(): void {
    const [slab, capacity] = [this.#slab, this.#capacity]
    this.#slab = null
    this.#capacity = 0
    this.#length = 0
    slab?.give(capacity)
    this.#pool.tidy(slab)
  }

  /** Moves the list's rows out of this slab, if they are there. */
  leave(slab: Slab<L>): void {
    // Leave room to grow: a full list would soon move again and leave a gap.
    const capacity = Math.max(this.#capacity, Math.ceil(this.#length * growth))
    if (this.#slab === slab) this.#move(capacity)
  }

  /** Makes room for `count` rows, and returns the position of the first in the slab. */
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
    // This comes last, because it may move this list too.
    this.#pool.tidy(old)
  }

  #settle(slab: Slab<L>, rows: number): void {
    this.#slab = slab
    this.#start = slab.take(rows, this)
    this.#capacity = rows
  }
}

/** Concatenates the rows of lists. */
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

// Memory for many short lists of rows, in columns. Each list has a block of a slab; blocks are
// allocated sequentially. When many blocks of a slab are free, its lists move to the newest slab,
// and the slab is reused. So a user needs few objects, and freed memory is reused at once.

const arrays = {
  float64: Float64Array,
  int32: Int32Array,
  float32: Float32Array,
  uint8: Uint8Array,
} as const

/** The typed array of each value type. */
export type ArrayTypes = { readonly [T in keyof typeof arrays]: (typeof arrays)[T]['prototype'] }

/** The columns of a row by name. */
export type Layout = Readonly<Record<string, keyof ArrayTypes>>

/** One array per column, all of the same length. */
export type Columns<L extends Layout> = { readonly [C in keyof L]: ArrayTypes[L[C]] }

export interface Form<L extends Layout> {
  readonly layout: L
  readonly columns: readonly {
    readonly name: keyof L & string
    readonly array: (typeof arrays)[keyof ArrayTypes]
  }[]
  readonly noRows: Columns<L>
}

export function formOf<const L extends Layout>(layout: L): Form<L> {
  const columns = Object.entries(layout).map(([name, type]) => ({ name, array: arrays[type] }))
  return { layout, columns, noRows: newColumns({ columns }, 0) }
}

/** Creates columns of zeros. */
function newColumns<L extends Layout>(form: Pick<Form<L>, 'columns'>, rows: number): Columns<L> {
  const columns = form.columns.map(({ name, array }) => [name, new array(rows)])
  return Object.fromEntries(columns) as Columns<L>
}

export class Slab<L extends Layout> {
  readonly columns: Columns<L>
  readonly rows: number
  /** Whether another thread reads the same rows. Then neither thread writes to them. */
  readonly isShared: boolean
  #used = 0
  #left = 0
  #tenants: PackedList<L>[] = []
  #isEmptying = false

  constructor(columns: Columns<L>, rows: number, isShared = false) {
    this.columns = columns
    this.rows = rows
    this.isShared = isShared
  }

  get freeRows(): number {
    return this.rows - this.#used
  }

  /** Allocates a block for a list, and returns its start. There must be enough room. */
  take(rows: number, tenant: PackedList<L>): number {
    const start = this.#used
    this.#used += rows
    this.#tenants.push(tenant)
    return start
  }

  give(rows: number): void {
    this.#left += rows
  }

  /**
   * Whether a third of the used rows is free, or half in a shared slab, and the slab is not being
   * emptied. Emptying it earlier would move too many rows for the memory it frees.
   */
  get hasGaps(): boolean {
    return !this.#isEmptying && (this.isShared ? 2 : 3) * this.#left > this.#used
  }

  /** Moves the remaining lists elsewhere, so that the whole slab can be used again. */
  empty(): void {
    this.#isEmptying = true
    for (const tenant of this.#tenants) tenant.leave(this)
    this.#isEmptying = false
    this.#tenants = []
    this.#used = 0
    this.#left = 0
  }
}

/** The smallest and the usual largest number of rows of a slab. Slabs grow with the pool. */
const [minRows, maxRows] = [64, 32_768]
/** The maximum number of empty slabs that a pool retains for reuse. */
const maxSpare = 8

export class RowPool<L extends Layout> {
  readonly form: Form<L>
  #newest: Slab<L>
  /** Slabs that became full since the last `tidy`. */
  #full: Slab<L>[] = []
  readonly #spare: Slab<L>[] = []

  constructor(form: Form<L>) {
    this.form = form
    this.#newest = new Slab(form.noRows, 0)
  }

  /** Returns a slab with room for this many rows. */
  slabFor(rows: number): Slab<L> {
    const old = this.#newest
    if (old.freeRows >= rows) return old
    const size = Math.max(rows, Math.min(maxRows, Math.max(minRows, 2 * old.rows)))
    const spare = size === maxRows ? this.#spare.pop() : undefined
    const slab = spare ?? new Slab(newColumns(this.form, size), size)
    this.#newest = slab
    this.#full.push(old)
    return slab
  }

  /** Empties slabs with many gaps. Call it after a block was allocated or freed. */
  tidy(slab: Slab<L> | null): void {
    if (slab !== null) this.#tidy(slab)
    if (this.#full.length > 0) for (const full of this.#full.splice(0)) this.#tidy(full)
  }

  #tidy(slab: Slab<L>): void {
    if (slab === this.#newest || !slab.hasGaps) return
    slab.empty()
    const isUseful = slab.rows === maxRows && !slab.isShared
    if (isUseful && this.#spare.length < maxSpare) this.#spare.push(slab)
  }
}
