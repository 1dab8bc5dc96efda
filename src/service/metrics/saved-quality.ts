// Quality figures in the store, the newest of each group, for a service that restarts. They hold ranks
// and counts and nothing about a user, so that erasing a user leaves them as they are.

import { RenError } from '../../core/errors.ts'
import type { JudgedQuality, SavedJudging } from '../../recommender/index.ts'
import type { Blend } from '../../relevance/index.ts'
import type { EventStore, Position } from '../../storage/index.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import type { QualityPoint } from '../schemas/quality.ts'
import { readWhole } from '../state/restore.ts'
import type { LogMessage } from '../settings.ts'
import { methodText } from '../state/snapshots.ts'

export interface SavedQuality {
  readonly history: readonly QualityPoint[]
  readonly heldOut: JudgedQuality | null
  /** This and `heldOut` are null where they are of a model with other settings. */
  readonly judging: SavedJudging | null
  /** Of versions that served before, the oldest first. */
  readonly versions: readonly VersionQuality[]
  /** What served, and with which weights the blend then was. */
  readonly version: number
  readonly blend: Blend
}

interface VersionQuality {
  readonly version: number
  readonly live: JudgedQuality
}

const kind = 'quality'
/** Of what is in a snapshot; those of another format are passed over. */
const format = 1

interface QualityStoreOptions {
  readonly store: EventStore
  readonly clock: () => number
  readonly logMessage: (logMessage: LogMessage) => void
}

export class QualityStore {
  readonly #options: QualityStoreOptions

  constructor(options: QualityStoreOptions) {
    this.#options = options
  }

  async save(group: ModelGroup, saved: SavedQuality, position: Position): Promise<void> {
    const { store, clock } = this.#options
    const about = { format, method: methodText(group) }
    const snapshot = { kind, scope: group.name, position, time: clock(), about } as const
    try {
      await store.writeSnapshot(snapshot, [new TextEncoder().encode(JSON.stringify(saved))])
      await store.trimSnapshots(kind, group.name, 1)
    } catch (error) {
      this.#warn(`the quality figures of ${group.name} could not be saved`, error)
    }
  }

  /** Null where there are none, or none that can be read. */
  async find(group: ModelGroup): Promise<SavedQuality | null> {
    try {
      return await this.#read(group)
    } catch (error) {
      this.#warn(`the saved quality figures of ${group.name} cannot be read and start over`, error)
      return null
    }
  }

  async #read(group: ModelGroup): Promise<SavedQuality | null> {
    const { store } = this.#options
    const [newest] = await store.snapshots(kind, group.name)
    if (newest === undefined) return null
    if (newest.about['format'] !== format) {
      throw new RangeError(`expected format ${format}, got ${String(newest.about['format'])}`)
    }
    const saved = parse(new TextDecoder().decode(await readWhole(store, newest)))
    return newest.about['method'] === methodText(group)
      ? saved
      : { ...saved, heldOut: null, judging: null }
  }

  #warn(message: string, error: unknown): void {
    this.#options.logMessage({
      level: 'warning',
      message: `${message}: ${error instanceof Error ? error.message : String(error)}`,
      ...(error instanceof RenError && { code: error.code }),
    })
  }
}

/** An error where it is not what `save` writes. */
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
  if (!isWhole) throw new TypeError('expected history, judging, versions, version and blend')
  return saved
}
