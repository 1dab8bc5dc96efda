// The metadata of snapshots, by which a service recognizes those that fit its settings.

import { setTimeout as delay } from 'node:timers/promises'

import { RenError } from '../../core/errors.ts'
import { methodOf, methodSettings } from '../../recommender/index.ts'
import { stateFormat } from '../../recommender/saved-values.ts'
import { completeBlend, type Blend } from '../../relevance/index.ts'
import type { NewSnapshot, Position, SnapshotInfo } from '../../storage/index.ts'
import { entriesInOrder, type CompleteSettings } from '../complete-settings.ts'
import type { LearnerStart } from '../learning/learner-types.ts'
import type { ModelVersion } from '../schemas/model.ts'
import type { ModelGroupPlan } from './model-groups.ts'

/** The fixed facts of a version. */
export type VersionFacts = Pick<
  ModelVersion,
  'version' | 'position' | 'loss' | 'heldOut' | 'origin' | 'quality' | 'trainedOn'
>

type Plan = Pick<CompleteSettings, 'variants' | 'models' | 'seed' | 'maxPerUser'>

/**
 * Describes a snapshot of weights, which fit any state of the same method.
 *
 * @param items The number of items with rows in the weights.
 * @param blend The blend they are served with; null without blended relevance.
 */
export function weightsSnapshot(
  group: ModelGroupPlan,
  facts: VersionFacts,
  time: number,
  items: number,
  blend: Blend | null = null,
): NewSnapshot {
  const about = { ...facts, items, method: methodText(group), ...(blend && { blend }) }
  return { kind: 'weights', scope: group.name, position: facts.position, time, about }
}

/** Describes a snapshot of the state, which depends on the split of users and on the method. */
export function stateSnapshot(
  group: ModelGroupPlan,
  settings: Plan,
  position: Position,
  time: number,
): NewSnapshot {
  return {
    kind: 'state',
    scope: group.name,
    position,
    time,
    about: { split: splitText(settings), method: methodText(group), format: stateFormat },
  }
}

export function areWeightsOf({ about }: SnapshotInfo, group: ModelGroupPlan): boolean {
  return isMethodOf(about['method'], group)
}

/** A state in an earlier format does not fit: the service replays the log instead. */
export function isStateOf({ about }: SnapshotInfo, group: ModelGroupPlan, settings: Plan): boolean {
  return (
    isMethodOf(about['method'], group) &&
    about['split'] === splitText(settings) &&
    about['format'] === stateFormat
  )
}

/** The version whose changes the snapshot contains; null if it contains whole weights. */
export const baseIn = ({ about }: SnapshotInfo): number | null =>
  (about['base'] as number | undefined) ?? null

export const isWholeIn = (info: SnapshotInfo): boolean => baseIn(info) === null

export const itemsIn = ({ about }: SnapshotInfo): number => about['items'] as number

/** The blend that the weights were served with; null if unknown. */
export function blendIn({ about }: SnapshotInfo): Blend | null {
  const saved = about['blend'] as Blend | undefined
  return saved === undefined ? null : completeBlend(saved)
}

/** Stores of earlier versions have another name for fine-tuning. */
const currentOrigin = (origin: VersionFacts['origin'] | 'learnt'): VersionFacts['origin'] =>
  origin === 'learnt' ? 'fine-tuned' : origin

export function versionIn({ about, position }: SnapshotInfo): VersionFacts {
  const { version, loss, heldOut, origin, quality, trainedOn } = about as unknown as VersionFacts
  // Older stores lack these two.
  const trained = { quality: quality ?? null, trainedOn: trainedOn ?? null }
  return { version, position, loss, heldOut, origin: currentOrigin(origin), ...trained }
}

/** Settings that affect future training, but not whether saved weights fit. */
const trainingSettings = ['rate', 'fineTuneSteps', 'replay', 'clip', 'optimizer']

/** The model and the settings that its weights depend on. The policy does not affect weights. */
export function methodText({ method, settings }: ModelGroupPlan): string {
  const { model } = methodOf(method)
  const ignored = new Set([...Object.keys(methodSettings(method).policy), ...trainingSettings])
  const entries = entriesInOrder(settings).filter(([name]) => !ignored.has(name))
  return JSON.stringify([model, entries.filter(isInWeights)])
}

/** An uncertainty that is counted from impressions is neither in the weights nor in the state. */
const isInWeights = ([name, value]: readonly [string, unknown]): boolean =>
  name !== 'uncertainty' || value === 'learned'

/** Compares with saved text. Earlier versions of this package saved every kind of uncertainty. */
function isMethodOf(text: unknown, group: ModelGroupPlan): boolean {
  const own = methodText(group)
  if (text === own || typeof text !== 'string') return text === own
  const [model, entries] = JSON.parse(text) as [string, [string, unknown][]]
  return JSON.stringify([model, entries.filter(isInWeights)]) === own
}

function splitText({ variants, models, seed, maxPerUser }: Plan): string {
  const shares = variants.map(({ name, share }) => [name, share])
  return JSON.stringify([seed, models, shares, entriesInOrder({ ...maxPerUser })])
}

/** Milliseconds between attempts: the service applies erasures by other processes a little later. */
const retryDelays = [1, 2, 5, 10, 20, 50, 100, 200]

/** Saves a state again if the store refuses it because a user was erased meanwhile. */
export async function saveWithRetry(save: () => Promise<void>): Promise<void> {
  for (const retryDelay of retryDelays) {
    try {
      return await save()
    } catch (error) {
      if (!(error instanceof RenError && error.code === 'snapshot-outdated')) throw error
    }
    await delay(retryDelay)
  }
  return save()
}

/** Drops old states. Call it when all groups have a new one, since a restart needs one of each. */
export async function trimStates({ store, settings, groups }: LearnerStart): Promise<void> {
  for (const { group } of groups) {
    await store.trimSnapshots('state', group.name, settings.snapshots.maxStates)
  }
}
