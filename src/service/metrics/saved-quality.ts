// Saves the quality figures of each group in the store, for restarts. They contain ranks and counts,
// and nothing about users, so erasing a user does not affect them.

import type { JudgedQuality, SavedJudging } from '../../recommender/index.ts'
import { completeBlend, type Blend } from '../../relevance/index.ts'
import type { EventStore, Position } from '../../storage/index.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import type { QualityPoint } from '../schemas/quality.ts'
import { readWhole } from '../state/restore.ts'
import { errorMessage, warnOnFailure, type LogHandler } from '../settings.ts'
import { methodText } from '../state/snapshots.ts'

export interface SavedQuality {
  /** Earlier versions saved points without `judgedOn`. */
  readonly history: readonly (Omit<QualityPoint, 'judgedOn'> & Partial<QualityPoint>)[]
  readonly heldOut: JudgedQuality | null
  /** This and `heldOut` are null if the settings of the model have changed. */
  readonly judging: SavedJudging | null
  /** The quality of versions that served before, oldest first. */
  readonly versions: readonly VersionQuality[]
  /** The served version and its blend. */
  readonly version: number
  readonly blend: Blend
}

interface VersionQuality {
  readonly version: number
  readonly live: JudgedQuality
}

const kind = 'quality'
/**
 * The format of the snapshots. Format 1 does not say which interactions are independent. Snapshots in
 * other formats are ignored.
 */
const format = 2
const readable = new Set<unknown>([1, format])

export interface QualityOptions {
  readonly store: EventStore
  readonly clock: () => number
  readonly logMessage: LogHandler
  /** Whether this service saves the figures, rather than another one that shares the store. */
  readonly isLearner: () => boolean
}

export function saveQuality(
  { store, clock, logMessage }: QualityOptions,
  group: ModelGroup,
  saved: SavedQuality,
  position: Position,
): Promise<void> {
  const about = { format, method: methodText(group) }
  const snapshot = { kind, scope: group.name, position, time: clock(), about } as const
  return warnOnFailure(logMessage, `the quality of ${group.name} was not saved`, async () => {
    await store.writeSnapshot(snapshot, [new TextEncoder().encode(JSON.stringify(saved))])
    await store.trimSnapshots(kind, group.name, 1)
  })
}

/** Null if there are no readable figures. */
export async function findQuality(
  { store, logMessage }: QualityOptions,
  group: ModelGroup,
): Promise<SavedQuality | null> {
  try {
    const [newest] = await store.snapshots(kind, group.name)
    if (newest === undefined) return null
    if (!readable.has(newest.about['format'])) {
      throw new RangeError(`the format must be 1 or 2, got ${String(newest.about['format'])}`)
    }
    const saved = parse(new TextDecoder().decode(await readWhole(store, newest)))
    const hasSameMethod = newest.about['method'] === methodText(group)
    return hasSameMethod ? saved : { ...saved, heldOut: null, judging: null }
  } catch (error) {
    const what = `the saved quality figures of ${group.name} are unreadable and start over`
    logMessage(errorMessage('warning', what, error))
    return null
  }
}

/** Throws if the text is not what `save` writes. */
function parse(text: string): SavedQuality {
  const saved = JSON.parse(text) as SavedQuality
  const { history, judging, versions, version, blend } = saved
  const isWhole =
    Array.isArray(history) &&
    Array.isArray(versions) &&
    Number.isInteger(version) &&
    typeof blend?.weights === 'object' &&
    Number.isInteger(judging?.judged) &&
    Number.isInteger(judging?.judgedOfVersion) &&
    Object.values(judging!.meters).every((meter) =>
      meter.every((one) => one.every(Number.isFinite)),
    )
  if (!isWhole) throw new TypeError('it must have history, judging, versions, version and blend')
  const areIndependent = judging?.areIndependent ?? []
  return { ...saved, judging: { ...judging!, areIndependent }, blend: completeBlend(blend) }
}
