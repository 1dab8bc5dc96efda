// The tied item embeddings μ: the input of the network, and the vectors that score its output.
// Row 0 is the learned start vector and row k + 1 is item k, so that new items are appended.

import type { Engine, Tensor } from '../kernels/index.ts'
import { createGrowingTable } from './parameter.ts'
import type { Parameter, Start } from './parameter.ts'

export interface ItemTable {
  /** (1 + K) × d; replaced when items are added. */
  readonly parameter: Parameter
  readonly itemCount: number
  /** μ: the K item rows. */
  readonly items: Tensor
  /** Appends rows and retains the existing ones. */
  add(count: number, start: Start): void
}

export function createItemTable(
  engine: Engine,
  name: string,
  itemCount: number,
  dimension: number,
  start: Start,
): ItemTable {
  const values = createGrowingTable(engine, name, dimension)
  const gradients = createGrowingTable(engine, `gradient of ${name}`, dimension)
  const rowsWith = (rows: number, before: number, startNew: Start) => {
    const [value, gradient] = [values.first(rows), gradients.first(rows)]
    for (let i = before * dimension; i < rows * dimension; i++) value.values[i] = startNew()
    const parameter = { name, value, gradient }
    return { parameter, itemCount: rows - 1, items: engine.part(value, 1, rows - 1) }
  }
  let table = rowsWith(itemCount + 1, 0, start)
  return {
    get parameter() {
      return table.parameter
    },
    get itemCount() {
      return table.itemCount
    },
    get items() {
      return table.items
    },
    add(count, startNew) {
      const before = table.itemCount + 1
      table = rowsWith(before + count, before, startNew)
    },
  }
}
