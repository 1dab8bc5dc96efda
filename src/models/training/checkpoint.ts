// A checkpoint of training as a safetensors file: weights, best weights, optimizer state and random
// stream. A run that resumes from it reaches the same result, bit for bit.

import { RenError } from '../../core/errors.ts'
import { readSafetensors, writeSafetensors } from '../files/safetensors.ts'
import type { TensorFile, TensorToWrite } from '../files/safetensors.ts'
import type { SequenceModel } from '../sequence-model.ts'
import type { TrainState, ValidatedWeights } from './train.ts'
import type { NamedValues } from './weights.ts'

const FORMAT = 'ren-training-1'
const RANDOM = 'random'

/** The scalar values of a state, stored as metadata. */
type Figures = Pick<TrainState, 'epoch' | 'loss' | 'steps' | 'events'> & {
  readonly optimizerSteps: number
  readonly best: Pick<ValidatedWeights, 'epoch' | 'value'> | null
}

export function writeCheckpoint(state: TrainState): Uint8Array<ArrayBuffer> {
  const { epoch, loss, steps, events, optimizer, random, best } = state
  const figures: Figures = {
    epoch,
    loss,
    steps,
    events,
    optimizerSteps: optimizer.steps,
    best: best && { epoch: best.epoch, value: best.value },
  }
  // The best weights are often the current ones, which are not stored twice.
  const bestWeights = best === null || best.epoch === epoch ? new Map() : best.weights
  return writeSafetensors({
    tensors: new Map([
      ...under('weights', state.weights),
      ...under('best', bestWeights),
      ...under('optimizer', optimizer.tensors),
      [RANDOM, { shape: [random.length], data: new Int32Array(random) }],
    ]),
    metadata: { format: FORMAT, state: JSON.stringify(figures) },
  })
}

/** Reads a checkpoint of a model with the same parameters. */
export function readCheckpoint(bytes: Uint8Array, model: SequenceModel): TrainState {
  const file = readSafetensors(bytes)
  if (file.metadata['format'] !== FORMAT) throw malformed(`it must have the format ${FORMAT}`)
  const { optimizerSteps, best, ...figures } = figuresIn(file)
  const weights = weightsIn(file, 'weights', model)
  const isLast = best !== null && best.epoch === figures.epoch
  return {
    ...figures,
    weights,
    optimizer: { steps: optimizerSteps, tensors: valuesIn(file, 'optimizer') },
    random: new Uint32Array(file.integers(RANDOM)),
    best: best && { ...best, weights: isLast ? weights : weightsIn(file, 'best', model) },
  }
}

const under = (folder: string, values: NamedValues): [string, TensorToWrite][] =>
  Array.from(values, ([name, data]) => [`${folder}/${name}`, { shape: [data.length], data }])

function valuesIn(file: TensorFile, folder: string): NamedValues {
  const own = [...file.tensors.keys()].filter((name) => name.startsWith(`${folder}/`))
  return new Map(own.map((name) => [name.slice(folder.length + 1), file.floats(name)]))
}

function weightsIn(file: TensorFile, folder: string, { parameters }: SequenceModel): NamedValues {
  const values = valuesIn(file, folder)
  for (const { name, value } of parameters) {
    const size = values.get(name)?.length ?? 0
    if (size === value.values.length) continue
    throw malformed(`${folder}/${name} must have ${value.values.length} values, got ${size}`)
  }
  return values
}

function figuresIn({ metadata }: TensorFile): Figures {
  try {
    return JSON.parse(metadata['state'] ?? '') as Figures
  } catch (cause) {
    throw malformed('state must be JSON', cause)
  }
}

const malformed = (message: string, cause?: unknown): RenError =>
  new RenError('file-malformed', `checkpoint: ${message}`, { cause })
