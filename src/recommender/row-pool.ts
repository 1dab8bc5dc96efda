// Memory for many short lists of rows, column beside column. Each list has a block of a slab; blocks
// are allocated one after the other. A slab with many freed blocks is moved into the newest slab and
// reused. So a user costs bytes and few objects, and freed memory is reused at once.

const arrays = {
  float64: Float64Array,
  int32: Int32Array,
  float32: Float32Array,
  uint8: Uint8Array,
} as const

/** What holds the values of each type. */
export interface ArrayTypes {
  readonly float64: Float64Array
  readonly int32: Int32Array
  readonly float32: Float32Array
  readonly uint8: Uint8Array
}

/** The columns of a row by name. */
export type Layout = Readonly<Record<string, keyof ArrayTypes>>

/** One array a column, equally long. */
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

/** Zeros. */
export function newColumns<L extends Layout>(
  form: Pick<Form<L>, 'columns'>,
  rows: number,
): Columns<L> {
  const columns = form.columns.map(({ name, array }) => [name, new array(rows)])
  return Object.fromEntries(columns) as Columns<L>
}

/** Whoever has a block. */
export interface Tenant<L extends Layout> {
  /** Takes the rows that it has in this slab elsewhere, if it has any. */
  leave(slab: Slab<L>): void
}

export class Slab<L extends Layout> {
  readonly columns: Columns<L>
  readonly rows: number
  /** Whether another thread reads the same rows: then nobody writes to them. */
  readonly isShared: boolean
  #used = 0
  #left = 0
  #tenants: Tenant<L>[] = []
  #isEmptying = false

  constructor(columns: Columns<L>, rows: number, isShared = false) {
    this.columns = columns
    this.rows = rows
    this.isShared = isShared
  }

  get room(): number {
    return this.rows - this.#used
  }

  /** Where the block of the tenant begins; there must be room for it. */
  take(rows: number, tenant: Tenant<L>): number {
    const start = this.#used
    this.#used += rows
    this.#tenants.push(tenant)
    return start
  }

  give(rows: number): void {
    this.#left += rows
  }

  /**
   * Whether a third was left, and nobody sees to it: to fill fewer gaps costs more moving. What two
   * share is worth keeping until both have left half of it.
   */
  get hasGaps(): boolean {
    return !this.#isEmptying && (this.isShared ? 2 : 3) * this.#left > this.#used
  }

  /** Whoever is still there leaves, and all of it can be taken again. */
  empty(): void {
    this.#isEmptying = true
    for (const tenant of this.#tenants) tenant.leave(this)
    this.#isEmptying = false
    this.#tenants = []
    this.#used = 0
    this.#left = 0
  }
}

/** Small pools have small slabs. */
const [fewestRows, maxRows] = [64, 32_768]
/** Empty slabs that are worth keeping. */
const maxSpare = 8

export class RowPool<L extends Layout> {
  readonly form: Form<L>
  #newest: Slab<L>
  /** Full since the last `tidy`. */
  #full: Slab<L>[] = []
  readonly #spare: Slab<L>[] = []

  constructor(form: Form<L>) {
    this.form = form
    this.#newest = new Slab(form.noRows, 0)
  }

  /** A slab that can `take` so many rows. */
  slabFor(rows: number): Slab<L> {
    const old = this.#newest
    if (old.room >= rows) return old
    const size = Math.max(rows, Math.min(maxRows, Math.max(fewestRows, 2 * old.rows)))
    const spare = size === maxRows ? this.#spare.pop() : undefined
    const slab = spare ?? new Slab(newColumns(this.form, size), size)
    this.#newest = slab
    this.#full.push(old)
    return slab
  }

  /** To be called once a block was left or taken: empties slabs that are worth it. */
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
