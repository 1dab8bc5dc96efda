// The learner's recommenders, one a group, and the log as they hear it: the same fold as in the main
// thread.

import { createEngine } from '../../kernels/index.ts'
import { restoreFromParts } from '../../recommender/index.ts'
import type { Recommender } from '../../recommender/index.ts'
import { openSqliteReader } from '../../storage/index.ts'
import type { Position, StoredEvent } from '../../storage/index.ts'
import { createSplit } from '../variants.ts'
import { createFold } from '../fold.ts'
import { modelGroupPlans, groupSettings } from '../model-groups.ts'
import type { ThreadStart } from './calls.ts'

export interface Tailers {
  readonly position: Position
  /** By the names of their groups. */
  readonly recommenders: ReadonlyMap<string, Recommender>
  /** Reads the log up to a position. */
  follow(upTo: Position): Promise<void>
  receive(events: readonly StoredEvent[]): void
  eraseUsers(users: readonly string[], position: Position): void
  close(): Promise<void>
}

export async function openTailers({ settings, log, groups }: ThreadStart): Promise<Tailers> {
  const engine = await createEngine()
  const reader = log === null ? null : await openSqliteReader(log)
  const plans = new Map(modelGroupPlans(settings).map((plan) => [plan.name, plan]))
  const recommenders = new Map<string, Recommender>()
  for (const { group, weights, state: saved } of groups) {
    const own = groupSettings(engine, plans.get(group)!, settings)
    const [state, owner] =
      typeof saved === 'number'
        ? ([reader!.readSnapshot(saved), 'given'] as const)
        : ([saved, 'shared'] as const)
    recommenders.set(group, await restoreFromParts(engine, { weights, state }, own, owner))
  }
  const folded = Array.from(recommenders, ([name, recommender]) => ({ name, recommender }))
  // The main thread receives the same events and logs those that are left out.
  const leftOut = (): void => {}
  const fold = createFold(folded, createSplit(settings), leftOut)
  // States are of one position.
  let position = groups[0]!.position

  function receive(events: readonly StoredEvent[]): void {
    for (const event of events) {
      if (event.position <= position) continue
      fold.apply(event)
      position = event.position
    }
  }

  return {
    get position() {
      return position
    },
    recommenders,
    async follow(upTo) {
      const options = { upTo, ...(settings.skipDamaged && { onDamaged: leftOut }) }
      for await (const events of reader!.read(position, options)) receive(events)
      position = Math.max(position, upTo)
    },
    receive,
    eraseUsers: (users, at) => fold.eraseUsers(users, Math.max(at, position)),
    async close() {
      await reader?.close()
    },
  }
}
