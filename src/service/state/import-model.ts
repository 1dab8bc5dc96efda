// A model file that serves from the start: its weights become a version of every group.

import { createHash } from 'node:crypto'

import { RenError } from '../../core/errors.ts'
import { fitServedBlend } from '../../recommender/fit-blend.ts'
import { refusalOf } from '../../recommender/judge-model.ts'
import { itemNamesIn, openModelFile } from '../../recommender/model-file.ts'
import { updateFrom } from '../../recommender/weight-update.ts'
import type { OpenModelFile } from '../../recommender/model-file.ts'
import { defaultBlend } from '../../relevance/index.ts'
import type { Blend } from '../../relevance/index.ts'
import type { EventStore, Position } from '../../storage/index.ts'
import type { Context as RestoreContext, RestoredGroup } from './restore.ts'
import { versionIn, weightsSnapshot } from './snapshots.ts'
import type { VersionFacts } from './snapshots.ts'

type Context = Omit<RestoreContext, 'engine'>

/**
 * The groups as they were restored, or with the weights of the model file where the store has not
 * taken it yet. To be called when the catalog is complete and nobody is served yet.
 *
 * @param position Of the log, which all groups have applied.
 */
export async function importModel(
  context: Context,
  restored: readonly RestoredGroup[],
  position: Position,
): Promise<readonly RestoredGroup[]> {
  const { modelFile } = context.settings
  if (modelFile === null) return restored
  const digest = digestOf(modelFile)
  const taken = await Promise.all(restored.map((one) => isTaken(context, one, digest)))
  if (taken.every(Boolean)) return restored
  const file = await openSound(context, modelFile)
  if (file === null) return restored
  try {
    const groups: RestoredGroup[] = []
    for (const [i, one] of restored.entries()) {
      groups.push(taken[i]! ? one : await importInto(context, one, file, position, digest))
    }
    return groups
  } finally {
    file.close()
  }
}

/** The file, or null where its weights are not finite: then the others serve. */
async function openSound(
  { logMessage }: Context,
  bytes: Uint8Array,
): Promise<OpenModelFile | null> {
  try {
    return await openModelFile(bytes)
  } catch (error) {
    if (!(error instanceof RenError) || error.code !== 'non-finite-input') throw error
    const message = `the model file is refused, and the model of the store serves: ${error.message}`
    logMessage({ level: 'warning', message, code: error.code })
    return null
  }
}

/** Under which name the store remembers the last file that a group has taken. */
const markOf = (group: string): string => `model-file ${group}`

export const hasTakenFile = async (store: EventStore, group: string): Promise<boolean> =>
  (await store.mark(markOf(group))) !== null

const digestOf = (file: Uint8Array): string => createHash('sha256').update(file).digest('hex')

const isTaken = async (
  { store }: Pick<Context, 'store'>,
  { group, facts }: RestoredGroup,
  digest: string,
): Promise<boolean> => facts.origin !== 'start' && (await store.mark(markOf(group.name))) === digest

export interface ModelFileProblem {
  readonly group: string
  readonly message: string
}

/** Below this share of the items with interactions, most of what users choose is new to the model. */
const minKnown = 0.5

/** Where the model file that serves knows little of what users choose. */
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
    if (!(await isTaken(context, one, digest))) continue
    const { catalog, takes } = one.group.recommender.state
    const chosen = catalog.names.filter((_, row) => takes[row]! > 0)
    const matched = chosen.filter((name) => known.has(name)).length
    if (matched >= minKnown * chosen.length) continue
    const message =
      `${one.group.name}: the model file knows ${matched} of the ${chosen.length} items that have ` +
      'interactions; the others start as new items. Check that its item names are those of the catalog'
    problems.push({ group: one.group.name, message })
    context.logMessage({ level: 'warning', message })
  }
  return problems
}

async function importInto(
  { store, settings, logMessage }: Context,
  restored: RestoredGroup,
  file: OpenModelFile,
  position: Position,
  digest: string,
): Promise<RestoredGroup> {
  const { group } = restored
  const { recommender } = group
  const now = settings.clock()
  const { update, matched, unknown } = file.updateFor(recommender, {
    learntEvents: recommender.state.events,
    learntTime: now - settings.attributionWindow,
  })
  const known = file.itemNames.length
  requireMatch(matched, known)
  const version = await nextVersion(store, restored)
  const before = updateFrom(recommender.saveWeights(), recommender.watchWeights().changes())
  group.adopt(update, version)
  const fitted = recommender.blend ? fitServedBlend(recommender) : null
  const refusal = fitted && refusalOf(fitted, recommender.model.itemCount)
  if (refusal !== null) {
    group.adopt(before, restored.facts.version)
    const message = `the model file is refused, and version ${group.version} of ${group.name} serves: ${refusal}`
    logMessage({ level: 'warning', message })
    return restored
  }
  const blend = recommender.blend ? (fitted?.blend ?? importedBlend) : null
  if (blend !== null) recommender.blend?.set(blend)
  const quality = fitted?.quality ?? null
  const weights = recommender.saveWeights()
  const facts: VersionFacts = { ...importedFacts, version, position, quality }
  await store.writeSnapshot(weightsSnapshot(group, facts, now, update.itemCount, blend), [weights])
  // A crash before this takes the file once more, when nothing can have been learned since.
  await store.append([], { name: markOf(group.name), value: digest })
  logMessage({
    level: 'info',
    message: `${group.name} serves the model file: ${matched} items match`,
  })
  if (unknown > 0) {
    const message = `${unknown} of the ${known} items of the model file are not in the catalog: they are left out`
    logMessage({ level: 'warning', message })
  }
  return { ...restored, weights, facts }
}

/** Where too few users fit its weight, the model counts as much as the logarithm of a probability. */
const importedBlend: Blend = {
  ...defaultBlend,
  weights: { ...defaultBlend.weights, model: 1 },
}

/** No full training run of this store has led to it. */
const importedFacts = { loss: null, heldOut: null, origin: 'imported', trainedOn: null } as const

/** Items that come later would start as new ones, and the file would be lost on them. */
function requireMatch(matched: number, known: number): void {
  if (matched > 0) return
  throw new RenError(
    'invalid-argument',
    `none of the ${known} items of the model file is in the catalog: import the log or the items first`,
  )
}

async function nextVersion(store: EventStore, { group, facts }: RestoredGroup): Promise<number> {
  const saved = await store.snapshots('weights', group.name)
  return Math.max(facts.version, ...saved.map((info) => versionIn(info).version)) + 1
}
