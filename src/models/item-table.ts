// The tied item embeddings μ: the input of the network, and the vectors that score its output.
// Row 0 is the learned start vector and row k + 1 is item k, so that new items are appended.

import type { Engine, Tensor } from '../kernels/index.ts'
import { createParameter } from './parameter.ts'
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
  let rows = itemCount + 1
  let room = createParameter(engine, name, [rows, dimension])
  let parameter = firstRows(engine, room, rows)
  for (let i = 0; i < rows * dimension; i++) parameter.value.values[i] = start()

  function grow(): void {
    const old = room
    room = createParameter(engine, name, [2 * rows, dimension])
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
      parameter = firstRows(engine, room, rows)
      const { values } = parameter.value
      for (let i = before * dimension; i < rows * dimension; i++) values[i] = startNew()
    },
  }
}

const firstRows = (engine: Engine, { name, value, gradient }: Parameter, rows: number) => ({
  name,
  value: engine.part(value, 0, rows),
  gradient: engine.part(gradient, 0, rows),
  items: engine.part(value, 1, rows - 1),
})
