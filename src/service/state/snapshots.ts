// What a service says of its snapshots, so that one of other settings is not taken for its own.

import { setTimeout as delay } from 'node:timers/promises'

import { RenError } from '../../core/errors.ts'
import { methodOf, methodSettings } from '../../recommender/index.ts'
import { stateFormat } from '../../recommender/saved-values.ts'
import type { Blend } from '../../relevance/index.ts'
import type { NewSnapshot, Position, SnapshotInfo } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import { entriesInOrder } from '../complete-settings.ts'
import type { LearnerStart } from '../learning/learner-types.ts'
import type { ModelVersion } from '../schemas/model.ts'
import type { ModelGroupPlan } from './model-groups.ts'

/** The facts of a version that never change. */
export type VersionFacts = Pick<
  ModelVersion,
  'version' | 'position' | 'loss' | 'heldOut' | 'origin' | 'quality' | 'trainedOn'
>

type Plan = Pick<CompleteSettings, 'variants' | 'models' | 'seed' | 'maxPerUser'>

/**
 * Weights fit any state of the same method.
 *
 * @param items How many items they have rows of.
 * @param blend What they are served with; null where relevance is the model's alone.
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

/** State is of one split of the users, and of one method for the vectors of new items. */
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

/** A state of an earlier format has less than the log: it is folded again. */
export function isStateOf({ about }: SnapshotInfo, group: ModelGroupPlan, settings: Plan): boolean {
  return (
    isMethodOf(about['method'], group) &&
    about['split'] === splitText(settings) &&
    about['format'] === stateFormat
  )
}

export const itemsIn = ({ about }: SnapshotInfo): number => about['items'] as number

/** What weights were served with when they were saved; null where that is not known. */
export const blendIn = ({ about }: SnapshotInfo): Blend | null =>
  (about['blend'] as Blend | undefined) ?? null

export function versionIn({ about, position }: SnapshotInfo): VersionFacts {
  const { version, loss, heldOut, origin, quality, trainedOn } = about as unknown as VersionFacts
  // Stores of earlier versions have none of the last two.
  const trained = { quality: quality ?? null, trainedOn: trainedOn ?? null }
  return { version, position, loss, heldOut, origin, ...trained }
}

/** How weights are moved on from here says nothing of what they are. */
const ofTheWay = ['rate', 'fineTuneSteps', 'replay', 'clip', 'optimizer']

/** Policies choose over a model and leave nothing in its weights: another one finds them as they are. */
export function methodText({ method, settings }: ModelGroupPlan): string {
  const { model } = methodOf(method)
  const apart = new Set([...Object.keys(methodSettings(method).policy), ...ofTheWay])
  const entries = entriesInOrder(settings).filter(([name]) => !apart.has(name))
  return JSON.stringify([model, entries.filter(isInWeights)])
}

/** Uncertainty that is counted from impressions leaves nothing in weights or state. */
const isInWeights = ([name, value]: readonly [string, unknown]): boolean =>
  name !== 'uncertainty' || value === 'learned'

/** Earlier versions wrote every kind of uncertainty. */
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

// Saves a state while users may be erased: the store refuses a state that still contains them, and the
// state is saved again.

/** With longer and longer rests: who was erased by others is known here a little later. */
const rests = [1, 2, 5, 10, 20, 50, 100, 200]

/** The last error where no state is up to date: the log is followed no further. */
export async function saveWithRetry(save: () => Promise<void>): Promise<void> {
  for (const rest of rests) {
    try {
      return await save()
    } catch (error) {
      if (!(error instanceof RenError && error.code === 'snapshot-outdated')) throw error
    }
    await delay(rest)
  }
  return save()
}

/** Not before all groups have the new one: until then they go on from the one before. */
export async function trimStates({ store, settings, groups }: LearnerStart): Promise<void> {
  for (const { group } of groups) {
    await store.trimSnapshots('state', group.name, settings.snapshots.maxStates)
  }
}
