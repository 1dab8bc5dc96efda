// Imports a model file at the start: its weights become a version of every group.

import { createHash } from 'node:crypto'

import { invalid, RenError } from '../../core/errors.ts'
import { fitServedBlend } from '../../recommender/fit-blend.ts'
import { importRefusalOf } from '../../recommender/judge-model.ts'
import { itemNamesIn, openModelFile, type OpenModelFile } from '../../recommender/model-file.ts'
import { updateFrom } from '../../recommender/weight-update.ts'
import type { EventStore, Position } from '../../storage/index.ts'
import type { Leading } from '../learning/versions.ts'
import { errorMessage } from '../settings.ts'
import type { Context as RestoreContext, RestoredGroup } from './restore.ts'
import { versionIn, weightsSnapshot, type VersionFacts } from './snapshots.ts'

interface Context extends Omit<RestoreContext, 'engine'> {
  /** Set in a store that several services share: the others then serve the imported weights too. */
  readonly leading?: Leading | null
}

/**
 * Imports the model file into groups that have not imported it yet. Call it when the catalog is
 * complete and before the first request.
 *
 * @param position The log position that all groups have reached.
 * @returns The groups as restored, or with the imported weights.
 */
export async function importModel(
  context: Context,
  restored: readonly RestoredGroup[],
  position: Position,
): Promise<readonly RestoredGroup[]> {
  const { modelFile } = context.settings
  if (modelFile === null) return restored
  const digest = digestOf(modelFile)
  const imported = await Promise.all(restored.map((one) => isImported(context, one, digest)))
  if (imported.every(Boolean)) return restored
  const file = await openFinite(context, modelFile)
  if (file === null) return restored
  try {
    const groups: RestoredGroup[] = []
    for (const [i, one] of restored.entries()) {
      groups.push(imported[i]! ? one : await importInto(context, one, file, position, digest))
    }
    return groups
  } finally {
    file.close()
  }
}

/** Returns null if the weights are not finite; the saved weights then serve. */
async function openFinite(
  { logMessage }: Context,
  bytes: Uint8Array,
): Promise<OpenModelFile | null> {
  try {
    return await openModelFile(bytes)
  } catch (error) {
    if (!(error instanceof RenError) || error.code !== 'non-finite-input') throw error
    const what = 'the model file is refused, and the saved model serves'
    logMessage(errorMessage('warning', what, error))
    return null
  }
}

/** The name of the mark with the hash of the last file that a group has imported. */
const markOf = (group: string): string => `model-file ${group}`

export const hasImportedFile = async (store: EventStore, group: string): Promise<boolean> =>
  (await store.mark(markOf(group))) !== null

const digestOf = (file: Uint8Array): string => createHash('sha256').update(file).digest('hex')

const isImported = async (
  { store }: Pick<Context, 'store'>,
  { group, facts }: RestoredGroup,
  digest: string,
): Promise<boolean> => facts.origin !== 'start' && (await store.mark(markOf(group.name))) === digest

export interface ModelFileProblem {
  readonly group: string
  /** The number of events that the served model was fully trained on at the start. */
  readonly trainedOn: number | null
  readonly message: string
}

/** The share of items with interactions that a model file should contain. */
const minKnown = 0.5

/** Reports a refused model file, and warns if the served one contains few of the items that users choose. */
export async function modelFileProblems(
  context: Context,
  served: readonly RestoredGroup[],
): Promise<readonly ModelFileProblem[]> {
  const { modelFile } = context.settings
  if (modelFile === null) return []
  const digest = digestOf(modelFile)
  const known = new Set(itemNamesIn(modelFile))
  const problems: ModelFileProblem[] = []
  for (const one of served) {
    if (!(await isImported(context, one, digest))) {
      const { name, version } = one.group
      const message = `${name}: the model file is refused, and version ${version} serves; the log says why`
      problems.push({ group: name, trainedOn: one.facts.trainedOn, message })
      continue
    }
    const { catalog, interactions } = one.group.recommender.state
    const chosen = catalog.names.filter((_, row) => interactions[row]! > 0)
    const matched = chosen.filter((name) => known.has(name)).length
    if (matched >= minKnown * chosen.length) continue
    const message =
      `${one.group.name}: the model file contains ${matched} of the ${chosen.length} items that have ` +
      'interactions; the others start as new items. Check that its item names match the catalog'
    problems.push({ group: one.group.name, trainedOn: one.facts.trainedOn, message })
    context.logMessage({ level: 'warning', message })
  }
  return problems
}

async function importInto(
  { store, settings, logMessage, leading }: Context,
  restored: RestoredGroup,
  file: OpenModelFile,
  position: Position,
  digest: string,
): Promise<RestoredGroup> {
  const { group } = restored
  const { recommender } = group
  const now = settings.clock()
  const { update, matched, unknown } = file.updateFor(recommender, {
    trainedUpToEvent: recommender.state.events,
    trainedUpToTime: now - settings.attributionWindow,
  })
  const known = file.itemNames.length
  // Items that are added later would start as new items, without the weights of the file.
  if (matched === 0) {
    throw invalid(
      `none of the ${known} items of the model file is in the catalog: import the log or the items first`,
    )
  }
  const version = await nextVersion(store, restored)
  const before = updateFrom(recommender.saveWeights(), recommender.watchWeights().changes())
  group.adopt(update, version)
  const fitted = recommender.blend ? fitServedBlend(recommender) : null
  const quality = fitted?.quality ?? null
  const refusal = fitted && importRefusalOf(fitted, recommender.model.itemCount)
  if (refusal !== null) {
    group.adopt(before, restored.facts.version)
    const message = `the model file is refused, and version ${group.version} of ${group.name} serves: ${refusal}`
    logMessage({ level: 'warning', message })
    return restored
  }
  const blend = fitted?.blend ?? null
  if (blend !== null) recommender.blend?.set(blend)
  const weights = recommender.saveWeights()
  const facts: VersionFacts = { ...importedFacts, version, position, quality }
  const snapshot = weightsSnapshot(group, facts, now, update.itemCount, blend)
  if (!leading) await store.writeSnapshot(snapshot, [weights])
  else {
    const about = { ...snapshot.about, changesBlend: blend !== null }
    await leading.shared.publish(leading.lease, { ...snapshot, about }, [weights])
  }
  // After a crash before this line, the next start imports the file again, which loses nothing.
  await store.append([], { name: markOf(group.name), value: digest })
  logMessage({
    level: 'info',
    message: `${group.name} serves the model file: ${matched} items match`,
  })
  if (unknown > 0) {
    const message = `${unknown} of the ${known} items of the model file are not in the catalog and are skipped`
    logMessage({ level: 'warning', message })
  }
  return { ...restored, weights, facts }
}

const importedFacts = { loss: null, heldOut: null, origin: 'imported', trainedOn: null } as const

async function nextVersion(store: EventStore, { group, facts }: RestoredGroup): Promise<number> {
  const saved = await store.snapshots('weights', group.name)
  return Math.max(facts.version, ...saved.map((info) => versionIn(info).version)) + 1
}
