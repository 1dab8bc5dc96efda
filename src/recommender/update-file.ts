// A weight update as a file, for processes that serve the weights of another one.

import { writeSafetensors } from '../models/files/safetensors.ts'
import type { TensorToWrite } from '../models/files/safetensors.ts'
import { readSafetensors } from '../models/index.ts'
import { parsed } from './saved-values.ts'
import type { LearningProgress, WeightUpdate } from './weight-update.ts'

/** What the file contains besides tensors. */
interface Header extends Omit<LearningProgress, 'trainedUpToTime'> {
  /** JSON has no −∞. */
  readonly trainedUpToTime: number | null
  readonly itemCount: number
  readonly tables: readonly string[]
  readonly network: readonly string[]
}

const key = 'update'
const rowsOf = (name: string): string => `rows of ${name}`

export function writeUpdate({ tables, network, ...progress }: WeightUpdate): Uint8Array {
  const tensors = new Map<string, TensorToWrite>()
  for (const { name, rows } of tables) {
    tensors.set(rowsOf(name), { shape: [rows.length], data: rows })
  }
  for (const { name, values } of [...tables, ...network]) {
    tensors.set(name, { shape: [values.length], data: values })
  }
  const { trainedUpToTime } = progress
  const header: Header = {
    ...progress,
    trainedUpToTime: Number.isFinite(trainedUpToTime) ? trainedUpToTime : null,
    tables: tables.map(({ name }) => name),
    network: network.map(({ name }) => name),
  }
  return writeSafetensors({ tensors, metadata: { [key]: JSON.stringify(header) } })
}

/** Reads what `writeUpdate` wrote. `adopt` checks whether it fits. */
export function readUpdate(bytes: Uint8Array): WeightUpdate {
  const file = readSafetensors(bytes)
  const { tables, network, trainedUpToTime, ...progress } = parsed(file, key) as Header
  const valuesOf = (name: string) => ({ name, values: file.floats(name).slice() })
  return {
    ...progress,
    trainedUpToTime: trainedUpToTime ?? -Infinity,
    tables: tables.map((name) => ({
      ...valuesOf(name),
      rows: Int32Array.from(file.values(rowsOf(name)) as Int32Array),
    })),
    network: network.map(valuesOf),
  }
}
