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

/** Applies an update to whole parameters, and to touched rows by way of gathered copies. */
export function createStepper(engine: Engine, workspace: Workspace, stateNames: readonly string[]) {
  const states = stateNames.map((name) => createStates(engine, name))
  const { gather, scatterRows } = engine.trusted
  let checkpoint: TensorCheckpoint | undefined

  function updateWhole(parameter: Parameter, update: Update): void {
    const tensors = states.map((state) => state.of(parameter))
    for (const tensor of tensors) checkpoint?.note(tensor)
    update(parameter, tensors)
  }

  function updateRows({ parameter, rows, gathered }: TouchedRows, update: Update): void {
    const indices = workspace.indices('touched', rows)
    const tables = states.map((state) => state.of(parameter))
    const copies = tables.map((table, i) => {
      const out = workspace.matrix(stateNames[i]!, rows.length, table.columns)
      gather({ table, indices, out })
      checkpoint?.noteRows(table, rows, out)
      return out
    })
    update(gathered, copies)
    scatterRows({ source: gathered.value, indices, table: parameter.value })
    for (const [i, source] of copies.entries()) scatterRows({ source, indices, table: tables[i]! })
  }

  return {
    step(parameters: readonly Parameter[], touched: readonly TouchedRows[], update: Update): void {
      for (const parameter of parameters) updateWhole(parameter, update)
      for (const rows of touched) updateRows(rows, update)
    },
    checkpoint(): RestorableState {
      const saved = openCheckpoint()
      checkpoint = saved
      return {
        restore: saved.restore,
        release() {
          if (checkpoint === saved) checkpoint = undefined
        },
      }
    },
    reset(): void {
      for (const state of states) state.clear()
    },
    save: (): OptimizerState['tensors'] => new Map(states.flatMap((state) => state.copies())),
    load(tensors: OptimizerState['tensors']): void {
      for (const state of states) {
        state.clear()
        state.load(tensors)
      }
    },
  }
}

const stateOf = (state: string, parameter: string): string => `${state} of ${parameter}`

/**
 * A tensor of a parameter's shape beside it, zero at first. Once the parameter grows it has twice
 * the room, so that one more item does not copy the state of all others.
 */
function createStates(engine: Engine, name: string) {
  const states = new Map<string, { readonly room: Tensor; readonly state: Tensor }>()
  /** Of parameters that no step has moved since a state was loaded. */
  let loaded: OptimizerState['tensors'] = new Map()

  function grow({ name: of, value }: Parameter, old: Tensor | undefined): Tensor {
    const rows = old === undefined ? value.rows : 2 * value.rows
    const room = engine.matrix(stateOf(name, of), rows, value.columns)
    if (old === undefined) {
      room.values.set(loaded.get(stateOf(name, of)) ?? [])
    } else {
      room.values.set(old.values)
      engine.free(old)
    }
    return room
  }

  return {
    of(parameter: Parameter): Tensor {
      const { name: of, value } = parameter
      const known = states.get(of)
      if (known?.state.rows === value.rows) return known.state
      const fits = known !== undefined && value.rows <= known.room.rows
      const room = fits ? known.room : grow(parameter, known?.room)
      const state = engine.part(room, 0, value.rows)
      states.set(of, { room, state })
      return state
    },
    clear(): void {
      for (const { room } of states.values()) engine.free(room)
      states.clear()
      loaded = new Map()
    },
    copies: (): [string, Float32Array][] => [
      ...loaded,
      ...Array.from(states, ([of, { state }]): [string, Float32Array] => [
        stateOf(name, of),
        state.values.slice(),
      ]),
    ],
    load(tensors: OptimizerState['tensors']): void {
      const isOwn = ([key]: [string, unknown]) => key.startsWith(stateOf(name, ''))
      loaded = new Map([...tensors].filter(isOwn))
    },
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
