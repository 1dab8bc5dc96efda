// Tensors over a WebAssembly memory. Whether one is still alive stands in the object itself, since
// every call of a kernel asks that of every argument.

import { RenError } from '../core/errors.ts'
import type { IndexTensor, Tensor } from './signature.ts'

/** Whose tensors they are. */
export interface Owner {
  readonly memory: WebAssembly.Memory
  closed: boolean
}

/** What a tensor shares with its parts. */
export interface Life {
  readonly owner: Owner
  freed: boolean
}

export const isAlive = ({ owner, freed }: Life): boolean => !freed && !owner.closed

class Place<V extends Float32Array | Int32Array> {
  readonly name: string
  readonly address: number
  readonly isPart: boolean
  readonly #life: Life
  readonly #view: (buffer: ArrayBuffer) => V
  #current: V

  constructor(
    life: Life,
    name: string,
    address: number,
    isPart: boolean,
    view: (buffer: ArrayBuffer) => V,
  ) {
    this.name = name
    this.address = address
    this.isPart = isPart
    this.#life = life
    this.#view = view
    this.#current = view(life.owner.memory.buffer)
  }

  static lifeOf(value: object): Life | undefined {
    return #life in value ? value.#life : undefined
  }

  /** A view that is created again when the buffer has changed, refused once freed. */
  get values(): V {
    if (!isAlive(this.#life)) throw released(this.name)
    const { buffer } = this.#life.owner.memory
    if (this.#current.buffer !== buffer) this.#current = this.#view(buffer)
    return this.#current
  }
}

class MatrixPlace extends Place<Float32Array> implements Tensor {
  readonly rows: number
  readonly columns: number

  constructor(
    life: Life,
    name: string,
    address: number,
    isPart: boolean,
    rows: number,
    columns: number,
  ) {
    super(
      life,
      name,
      address,
      isPart,
      (buffer) => new Float32Array(buffer, address, rows * columns),
    )
    this.rows = rows
    this.columns = columns
  }
}

class ListPlace extends Place<Int32Array> implements IndexTensor {
  readonly length: number

  constructor(life: Life, name: string, address: number, length: number) {
    super(life, name, address, false, (buffer) => new Int32Array(buffer, address, length))
    this.length = length
  }
}

export const matrixAt = (
  life: Life,
  name: string,
  address: number,
  rows: number,
  columns: number,
): Tensor => new MatrixPlace(life, name, address, false, rows, columns)

/** Rows of another one, as alive as that is. */
export const partAt = (whole: Tensor, address: number, rows: number, columns: number): Tensor =>
  new MatrixPlace(lifeOf(whole)!, whole.name, address, true, rows, columns)

export const indicesAt = (life: Life, name: string, address: number, length: number): IndexTensor =>
  new ListPlace(life, name, address, length)

/** Undefined for what was not made here. */
export const lifeOf = (value: object): Life | undefined => Place.lifeOf(value)

export const isPart = (tensor: object): boolean => tensor instanceof Place && tensor.isPart

export function released(name: string): RenError {
  return new RenError('use-after-free', `${name} was released, or belongs to another engine`)
}
