// The tied item embeddings μ: what the network reads and what its output is scored against.
// Row 0 is the learned start vector, row k + 1 is item k, so that new items are new rows at the end.

import type { Engine, Tensor } from '../kernels/index.ts'
import type { Parameter, Start } from './parameter.ts'

export interface ItemTable {
  /** (1 + K) × d; replaced when items are added. */
  readonly parameter: Parameter
  readonly itemCount: number
  /** μ: the K item rows. */
  readonly items: Tensor
  /** Adds rows at the end without moving what is there. */
  add(count: number, start: Start): void
}

export function createItemTable(
  engine: Engine,
  name: string,
  itemCount: number,
  dimension: number,
  start: Start,
): ItemTable {
  const open = (capacity: number) => ({
    value: engine.matrix(name, capacity, dimension),
    gradient: engine.matrix(`gradient of ${name}`, capacity, dimension),
  })
  let rows = itemCount + 1
  let room = open(rows)
  let parameter = firstRows()
  for (let i = 0; i < rows * dimension; i++) parameter.value.values[i] = start()

  function firstRows(): Parameter & { readonly items: Tensor } {
    return {
      name,
      value: engine.part(room.value, 0, rows),
      gradient: engine.part(room.gradient, 0, rows),
      items: engine.part(room.value, 1, rows - 1),
    }
  }

  function grow(): void {
    const old = room
    room = open(2 * rows)
    room.value.values.set(old.value.values)
    engine.free(old.value)
    engine.free(old.gradient)
  }

  return {
    get parameter() {
      return parameter
    },
    get itemCount() {
      return rows - 1
    },
    get items() {
      return parameter.items
    },
    add(count, startNew) {
      const before = rows
      rows += count
      if (rows > room.value.rows) grow()
      parameter = firstRows()
      const { values } = parameter.value
      for (let i = before * dimension; i < rows * dimension; i++) values[i] = startNew()
    },
  }
}
