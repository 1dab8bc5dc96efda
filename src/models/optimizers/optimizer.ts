// What every optimizer is, and the state it keeps beside a parameter.

import type { Engine, Tensor } from '../../kernels/index.ts'
import type { Parameter, Restorable, TensorCheckpoint } from '../parameter.ts'
import type { Workspace } from '../../kernels/index.ts'
import { openCheckpoint } from '../parameter.ts'

/** Changes the parameters of a model by their gradients. */
export interface Optimizer {
  readonly name: string
  /**
   * Which rows of the item table a step moves: `all`, as the textbook says, or only those it
   * `touched`, so that a step costs what it looks at and not the catalog.
   */
  readonly rows: 'all' | 'touched'
  /** One step against the gradients. */
  step(parameters: readonly Parameter[], touched: readonly TouchedRows[]): void
  /** Multiplies the rate of the following steps by this share. Absent where the rate is fixed. */
  scaleRate?(share: number): void
  /**
   * Remembers what it knows beside the weights, for whoever may take the next steps back. Where it
   * is absent, a step that is taken back leaves its trace there.
   */
  checkpoint?(): RestorableState
  /** Knows nothing any more, as before its first step, for weights that others have put in place. */
  reset?(): void
  /** A copy of its state, for a checkpoint. Absent in an optimizer that cannot be resumed. */
  save?(): OptimizerState
  /** Continues from a saved state, for parameters of the same names and shapes. */
  load?(state: OptimizerState): void
}

/** What an optimizer has gathered beside the weights. */
export interface OptimizerState {
  /** How many steps it has made. */
  readonly steps: number
  /** By the names of state and parameter, such as `first moment of items`. */
  readonly tensors: ReadonlyMap<string, Float32Array>
}

/** One at a time: the next replaces it. */
export interface RestorableState extends Restorable {
  /** Nothing will be taken back any more. */
  release(): void
}

/** Rows of a parameter that one step looked at, gathered with their gradients. */
export interface TouchedRows {
  readonly parameter: Parameter
  readonly rows: Int32Array
  readonly gathered: Parameter
}

/** Moves `parameter` against its gradient, given the optimizer's state beside it. */
export type Update = (parameter: Parameter, states: readonly Tensor[]) => void

/** What an optimizer knows beside the weights, and how to take it back or save it. */
type Memory = Required<Pick<Optimizer, 'checkpoint' | 'reset' | 'save' | 'load'>>

/** Applies an update to whole parameters, and to touched rows by way of gathered copies. */
export class Stepper {
  readonly #engine: Engine
  readonly #workspace: Workspace
  readonly #states: readonly StateTensors[]
  #checkpoint: TensorCheckpoint | undefined
  #steps = 0

  constructor(engine: Engine, workspace: Workspace, stateNames: readonly string[]) {
    this.#engine = engine
    this.#workspace = workspace
    this.#states = stateNames.map((name) => new StateTensors(engine, name))
  }

  /** How many steps there have been, the present one included. */
  get steps(): number {
    return this.#steps
  }

  /** The update is created once the step counts. */
  step(
    parameters: readonly Parameter[],
    touched: readonly TouchedRows[],
    createUpdate: () => Update,
  ): void {
    this.#steps += 1
    const update = createUpdate()
    for (const parameter of parameters) this.#updateWhole(parameter, update)
    for (const rows of touched) this.#updateRows(rows, update)
  }

  #updateWhole(parameter: Parameter, update: Update): void {
    const tensors = this.#states.map((state) => state.of(parameter))
    for (const tensor of tensors) this.#checkpoint?.note(tensor)
    update(parameter, tensors)
  }

  #updateRows({ parameter, rows, gathered }: TouchedRows, update: Update): void {
    const { gather, scatterRows } = this.#engine.trusted
    const indices = this.#workspace.indices('touched', rows)
    const tables = this.#states.map((state) => state.of(parameter))
    const copies = tables.map((table, i) => {
      const out = this.#workspace.matrix(this.#states[i]!.name, rows.length, table.columns)
      gather({ table, indices, out })
      this.#checkpoint?.noteRows(table, rows, out)
      return out
    })
    update(gathered, copies)
    scatterRows({ source: gathered.value, indices, table: parameter.value })
    for (const [i, source] of copies.entries()) scatterRows({ source, indices, table: tables[i]! })
  }

  memory(): Memory {
    return {
      checkpoint: () => this.#openCheckpoint(),
      reset: () => this.#load({ steps: 0, tensors: new Map() }),
      save: () => ({
        steps: this.#steps,
        tensors: new Map(this.#states.flatMap((state) => state.copies())),
      }),
      load: (state) => this.#load(state),
    }
  }

  #openCheckpoint(): RestorableState {
    const [saved, steps] = [openCheckpoint(), this.#steps]
    this.#checkpoint = saved
    return {
      restore: () => {
        saved.restore()
        this.#steps = steps
      },
      release: () => {
        if (this.#checkpoint === saved) this.#checkpoint = undefined
      },
    }
  }

  #load({ steps, tensors }: OptimizerState): void {
    this.#steps = steps
    for (const state of this.#states) state.load(tensors)
  }
}

/**
 * A tensor of each parameter's shape beside it, zero at first. Once a parameter grows it has twice
 * the room, so that one more item does not copy the state of all others.
 */
class StateTensors {
  readonly name: string
  readonly #engine: Engine
  readonly #states = new Map<string, { readonly room: Tensor; readonly state: Tensor }>()
  /** Of parameters that no step has moved since a state was loaded. */
  #loaded: OptimizerState['tensors'] = new Map()

  constructor(engine: Engine, name: string) {
    this.#engine = engine
    this.name = name
  }

  of(parameter: Parameter): Tensor {
    const { name, value } = parameter
    const known = this.#states.get(name)
    if (known?.state.rows === value.rows) return known.state
    const fits = known !== undefined && value.rows <= known.room.rows
    const room = fits ? known.room : this.#grow(parameter, known?.room)
    const state = this.#engine.part(room, 0, value.rows)
    this.#states.set(name, { room, state })
    return state
  }

  #grow({ name, value }: Parameter, old: Tensor | undefined): Tensor {
    const rows = old === undefined ? value.rows : 2 * value.rows
    const room = this.#engine.matrix(this.#nameOf(name), rows, value.columns)
    if (old === undefined) {
      room.values.set(this.#loaded.get(this.#nameOf(name)) ?? [])
    } else {
      room.values.set(old.values)
      this.#engine.free(old)
    }
    return room
  }

  copies(): [string, Float32Array][] {
    const own = Array.from(this.#states, ([parameter, { state }]): [string, Float32Array] => [
      this.#nameOf(parameter),
      state.values.slice(),
    ])
    return [...this.#loaded, ...own]
  }

  /** In place of what it holds. */
  load(tensors: OptimizerState['tensors']): void {
    for (const { room } of this.#states.values()) this.#engine.free(room)
    this.#states.clear()
    const isOwn = ([key]: readonly [string, unknown]) => key.startsWith(this.#nameOf(''))
    this.#loaded = new Map([...tensors].filter(isOwn))
  }

  #nameOf(parameter: string): string {
    return `${this.name} of ${parameter}`
  }
}

/** The norm of all tensors together. */
export function normOf(engine: Engine, tensors: readonly Tensor[]): number {
  return Math.sqrt(tensors.reduce((sum, x) => sum + engine.trusted.sumOfSquares({ x }), 0))
}

export function scaleAll(tensors: readonly Tensor[], factor: number): void {
  for (const { values } of tensors) {
    for (let i = 0; i < values.length; i++) values[i]! *= factor
  }
}
