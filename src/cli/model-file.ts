// Model files with a record of the training data, so that `ren evaluate` never tests a model on the
// data it was trained on.

import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'

import { RenError } from '../core/errors.ts'
import type { InteractionLog } from '../core/log.ts'
import type { Engine } from '../kernels/index.ts'
import { readSafetensors } from '../models/files/safetensors.ts'
import { loadModel, saveModel, type NamedModel } from '../models/index.ts'
import { readBytes, writeWhole } from './files.ts'
import { parseHoldOut } from './hold-out.ts'

export interface TrainingRecord {
  /** The file name of the log, for error messages; `digest` identifies the log. */
  readonly events: string
  readonly digest: string
  /** The rule of `--split`: what was held out. */
  readonly split: string
  readonly validation: string
  readonly seed: string
}

export type StoredModel = Awaited<ReturnType<typeof readModel>>

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

/** `training` is null if `ren train` did not write the file. */
export async function readModel(engine: Engine, path: string) {
  const bytes = await readBytes(path)
  const text = readSafetensors(bytes).metadata['training']
  return { ...loadModel(engine, bytes), training: text === undefined ? null : recordFrom(text) }
}

function recordFrom(text: string): TrainingRecord {
  try {
    const { events, digest, split, validation, seed } = JSON.parse(text) as TrainingRecord
    parseHoldOut(split)
    return { events, digest, split, validation, seed }
  } catch (cause) {
    const message = 'model file: training must be a record of what was held out'
    throw new RenError('file-malformed', message, { cause })
  }
}
