// The interface of an optimizer, and the state that it holds for each parameter.

import type { Engine, Tensor, Workspace } from '../../kernels/index.ts'
import { createGrowingTable, openCheckpoint } from '../parameter.ts'
import type { GrowingTable, Parameter, Restorable, TensorCheckpoint } from '../parameter.ts'

/** Updates the parameters of a model by their gradients. */
export interface Optimizer {
  /** The name in error messages. */
  readonly name: string
  /**
   * Which rows of the item table a step updates: `all`, or only the rows that it `touched`, so that
   * the cost of a step does not depend on the catalog.
   */
  readonly rows: 'all' | 'touched'
  /** One step against the gradients. */
  step(parameters: readonly Parameter[], touched: readonly TouchedRows[]): void
  /**
   * Sets the rate of the following steps to this share of the base rate. Absent if the rate is
   * fixed.
   */
  scaleRate?(share: number): void
  /**
   * Starts recording changes of the state, so that the next steps can be undone. If absent, undoing a
   * step restores only the weights.
   */
  checkpoint?(): RestorableState
  /** Clears the state, for weights that were replaced from outside; absent without state. */
  reset?(): void
  /** Copies the state for a checkpoint. Absent if the optimizer cannot be resumed. */
  save?(): OptimizerState
  /**
   * Continues from a saved state, for parameters of the same names and shapes. Absent if the
   * optimizer cannot be resumed.
   */
  load?(state: OptimizerState): void
}

/** The state of an optimizer. */
export interface OptimizerState {
  /** The number of completed steps. */
  readonly steps: number
  /** Keyed by state and parameter, such as `first moment of items`. */
  readonly tensors: ReadonlyMap<string, Float32Array>
}

/** A checkpoint of the state. Only one is active at a time; the next replaces it. */
export interface RestorableState extends Restorable {
  /** Stops recording. */
  release(): void
}

/** The rows of a parameter that one step touched, gathered with their gradients. */
export interface TouchedRows {
  readonly parameter: Parameter
  readonly rows: Int32Array
  readonly gathered: Parameter
}

/** Updates `parameter` by its gradient and the optimizer's state tensors. */
type Update = (parameter: Parameter, states: readonly Tensor[]) => void

interface UpdateRule extends Pick<Optimizer, 'name' | 'rows' | 'scaleRate'> {
  readonly stateNames: readonly string[]
  /** Creates the update of the given step, counted from 1. */
  createUpdate(step: number): Update
}

/**
 * An optimizer with state tensors. It updates whole parameters, or gathered copies of touched rows.
 */
export class StatefulOptimizer implements Optimizer {
  readonly name: string
  readonly rows: Optimizer['rows']
  readonly scaleRate?: (share: number) => void
  readonly #engine: Engine
  readonly #workspace: Workspace
  readonly #createUpdate: UpdateRule['createUpdate']
  readonly #states: readonly States[]
  #checkpoint: TensorCheckpoint | undefined
  #steps = 0

  constructor(engine: Engine, workspace: Workspace, rule: UpdateRule) {
    this.name = rule.name
    this.rows = rule.rows
    if (rule.scaleRate) this.scaleRate = rule.scaleRate
    this.#engine = engine
    this.#workspace = workspace
    this.#createUpdate = rule.createUpdate
    this.#states = rule.stateNames.map((name) => createStates(engine, name))
  }

  step(parameters: readonly Parameter[], touched: readonly TouchedRows[]): void {
    this.#steps += 1
    const update = this.#createUpdate(this.#steps)
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

  checkpoint(): RestorableState {
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

  reset(): void {
    this.load({ steps: 0, tensors: new Map() })
  }

  save(): OptimizerState {
    const tensors = new Map(this.#states.flatMap((state) => state.copies()))
    return { steps: this.#steps, tensors }
  }

  load({ steps, tensors }: OptimizerState): void {
    this.#steps = steps
    for (const state of this.#states) state.load(tensors)
  }
}

type States = ReturnType<typeof createStates>

/** One state tensor per parameter, of the same shape and initially zero. */
function createStates(engine: Engine, ofState: string) {
  const states = new Map<string, { readonly table: GrowingTable; readonly state: Tensor }>()
  /** Loaded state of parameters that no step has updated since. */
  let loaded: OptimizerState['tensors'] = new Map()
  const keyOf = (parameter: string): string => `${ofState} of ${parameter}`

  return {
    name: ofState,
    of({ name, value }: Parameter): Tensor {
      const existing = states.get(name)
      if (existing?.state.rows === value.rows) return existing.state
      const table = existing?.table ?? createGrowingTable(engine, keyOf(name), value.columns)
      const state = table.first(value.rows)
      if (!existing) state.values.set(loaded.get(keyOf(name)) ?? [])
      states.set(name, { table, state })
      return state
    },
    copies(): [string, Float32Array][] {
      const own = Array.from(states, ([name, { state }]): [string, Float32Array] => [
        keyOf(name),
        state.values.slice(),
      ])
      return [...loaded, ...own]
    },
    /** Replaces the state. */
    load(tensors: OptimizerState['tensors']): void {
      for (const { table } of states.values()) table.free()
      states.clear()
      loaded = new Map([...tensors].filter(([key]) => key.startsWith(keyOf(''))))
    },
  }
}

/** Returns the norm of all tensors together. */
export function normOf(engine: Engine, tensors: readonly Tensor[]): number {
  return Math.sqrt(tensors.reduce((sum, x) => sum + engine.trusted.sumOfSquares({ x }), 0))
}

export function scaleAll(tensors: readonly Tensor[], factor: number): void {
  for (const { values } of tensors) {
    for (let i = 0; i < values.length; i++) values[i]! *= factor
  }
}
