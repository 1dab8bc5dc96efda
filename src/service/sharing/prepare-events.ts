// Prepares events that were read from the log, before they are applied: loads new weights, and the names of erased
// users, which events do not contain.

import { RenError } from '../../core/errors.ts'
import { eventKinds } from '../../core/events.ts'
import type { EventStore, Position, SharedStore, StoredEvent } from '../../storage/index.ts'
import type { LoggedErasedUsers } from '../learning/learner-types.ts'
import type { ServedWeights } from '../state/served-weights.ts'

interface PrepareOptions {
  readonly shared: SharedStore
  readonly weights: Pick<ServedWeights, 'load'>
  /** Erases users when the event at the position is applied. */
  readonly erase: (erased: LoggedErasedUsers) => void
  /** The head when the service began to read the store: earlier erasures had taken effect. */
  readonly startedAt: Position
}

const knownKinds = new Set<string>([...eventKinds, 'weights-published', 'blend-changed'])

const createPrepare =
  ({ shared, weights, erase, startedAt }: PrepareOptions) =>
  async (events: readonly StoredEvent[], certain: Position): Promise<void> => {
    for (const { event, position } of events) {
      if (!knownKinds.has(event.kind)) throw tooNew(event.kind, position)
      if (event.kind === 'weights-published') await weights.load(event)
      if (event.kind !== 'user-erased' || position <= startedAt) continue
      const erased = await shared.erasedAt(position)
      if (erased === null) throw unknownErasure(position, 'the store no longer knows which one')
      const { users, lastReusedMerge } = erased
      // Read after it was erased, a merge has not moved the user's past from the other name.
      if (lastReusedMerge > certain) {
        throw unknownErasure(position, `a merge at position ${lastReusedMerge} was erased as well`)
      }
      erase({ users, position, hasLaterEvents: lastReusedMerge > 0 })
    }
  }

const tooNew = (kind: string, position: Position): RenError =>
  new RenError(
    'store-too-new',
    `event ${position} has the kind ${kind}, which this version of the package does not know`,
  )

/** The state is rebuilt, as after a rewound log. */
const unknownErasure = (position: Position, reason: string): RenError =>
  new RenError('log-rewound', `a user was erased at position ${position}, and ${reason}`)

interface Shared {
  readonly store: Pick<EventStore, 'shared'>
  /** The head of the log before anything was read. */
  readonly startedAt: Position
  readonly onRewound: (error: RenError) => void
}

/** An erasure may be known from the call and from the log. */
export function eraseOnce(erase: (gone: LoggedErasedUsers) => Promise<void>) {
  const known = new Set<Position>()
  return async (gone: LoggedErasedUsers): Promise<void> => {
    if (known.has(gone.position)) return
    known.add(gone.position)
    await erase(gone)
  }
}

/** What a store that several services share needs of a tailer. */
export function prepareWith(
  { store: { shared }, startedAt, onRewound }: Shared,
  weights: PrepareOptions['weights'],
  erase: (gone: LoggedErasedUsers) => Promise<void>,
) {
  if (shared === null) return {}
  const prepare = createPrepare({ shared, weights, startedAt, erase: (gone) => void erase(gone) })
  return { prepare, onRewound }
}
