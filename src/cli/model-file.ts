// Model files on disk, with a record of what the model was trained on: what `ren evaluate` needs
// to know so that it does not test a model on what it learnt from.

import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'

import { RenError } from '../core/errors.ts'
import type { InteractionLog } from '../core/log.ts'
import type { Engine } from '../kernels/index.ts'
import { readSafetensors } from '../models/files/safetensors.ts'
import { loadModel, saveModel } from '../models/index.ts'
import type { NamedModel } from '../models/index.ts'
import { describeFailure, writeWhole } from './files.ts'
import { parseHoldOut } from './hold-out.ts'

export interface TrainingRecord {
  /** The log's file name, for people; `digest` says which log it was. */
  readonly events: string
  readonly digest: string
  /** What was kept from training, as `--split` says it. */
  readonly split: string
  readonly validation: string
  readonly seed: string
}

export interface StoredModel extends NamedModel {
  /** Null in a file that `ren train` did not write. */
  readonly training: TrainingRecord | null
}

/** Equal for equal rows in equal order. */
export function digestOf({ users, items, rewards, times }: InteractionLog): string {
  const hash = createHash('sha256')
  for (const column of [users, items, rewards, times]) hash.update(column)
  return hash.digest('hex')
}

export async function writeModel(
  path: string,
  named: NamedModel,
  training: TrainingRecord,
): Promise<void> {
  const bytes = saveModel(named, { training: JSON.stringify(training) })
  await writeWhole(path, (part) => writeFile(part, bytes))
}

export async function readModel(engine: Engine, path: string): Promise<StoredModel> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new RenError('file-missing', describeFailure('read', path, cause), { cause })
  })
  const text = readSafetensors(bytes).metadata['training']
  return { ...loadModel(engine, bytes), training: text === undefined ? null : recordFrom(text) }
}

function recordFrom(text: string): TrainingRecord {
  try {
    const { events, digest, split, validation, seed } = JSON.parse(text) as TrainingRecord
    parseHoldOut(split)
    return { events, digest, split, validation, seed }
  } catch (cause) {
    const message = 'model file: training: expected a record that says what was held out'
    throw new RenError('file-malformed', message, { cause })
  }
}
