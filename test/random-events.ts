// Logs of a recommender's events at random: every one is in order, whatever came before it.

import * as fc from 'fast-check'
import { foldEvents } from 'ren-recommender/recommender'
import type { CountChange, RenEvent } from 'ren-recommender/recommender'

export const firstItems = ['a', 'b', 'c', 'd', 'e', 'f']
export const someUsers = ['ann', 'bob', 'cem']
/** The vectors of new items, where they come with any, are of this length. */
export const vectorLength = 6

// An item is drawn as a number and found among the names that there are by then; so is a slate.
const anyUser = fc.constantFrom(...someUsers)
const anyReward = fc.oneof(fc.constantFrom(-1, 0, 1), fc.double({ min: -2, max: 2, noNaN: true }))
const anyTime = fc.integer({ min: 0, max: 1e6 })
const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('shown' as const),
      user: anyUser,
      items: fc.array(fc.record({ at: fc.nat(), reward: anyReward }), { maxLength: 4 }),
      rewarded: fc.boolean(),
      time: anyTime,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('taken' as const),
      user: anyUser,
      at: fc.nat(),
      reward: anyReward,
      time: anyTime,
    }),
  },
  fc.record({ kind: fc.constant('items-added' as const), count: fc.nat(3), like: fc.nat() }),
  fc.record({ kind: fc.constant('items-removed' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('user-forgotten' as const), user: anyUser }),
)
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never

/** Slates, takes, items that come and go, and users who go. */
export const anyEvents = fc.array(anyStep, { maxLength: 40 }).map((steps) => toEvents(steps))

/** What is said of a step beside, in a log of a service. */
const anyNote = fc.record({
  named: fc.boolean(),
  counted: fc.boolean(),
  slate: fc.nat(),
  seen: fc.uniqueArray(fc.nat(3)),
  vectors: fc.boolean(),
  change: fc.nat(5),
})
type Note = typeof anyNote extends fc.Arbitrary<infer T> ? T : never
const anyKind = fc.constantFrom('step', 'step', 'step', 'seen', 'seen', 'joined', 'changed')
type Kind = typeof anyKind extends fc.Arbitrary<infer T> ? T : never

/** Events of every kind: slates have names and are seen, users are joined, counts are corrected. */
export const anyLog = fc
  .record({
    steps: fc.array(anyStep, { maxLength: 40 }),
    notes: fc.array(fc.tuple(anyKind, anyNote), { minLength: 40, maxLength: 40 }),
    others: fc.array(fc.array(anyStep, { maxLength: 12 }), { minLength: 3, maxLength: 3 }),
  })
  .map(({ steps, notes, others }) => {
    const events = toEvents(
      steps,
      notes.map(([, note]) => note),
    )
    return withMore(events, notes, others)
  })

function toEvents(steps: readonly Step[], notes: readonly Note[] = []): RenEvent[] {
  const names = new Set(firstItems)
  const removed: string[] = []
  const slates: string[] = []
  let added = 0
  const nameAt = (at: number): string => [...names][at % names.size]!

  return steps.map((step, i): RenEvent => {
    const note = notes[i]
    const recommendationId = note?.named ? `slate ${note.slate % 8}` : undefined
    switch (step.kind) {
      case 'shown': {
        const { kind, user, time } = step
        const items = step.items.map(({ at }) => nameAt(at))
        const rewards = step.items.map(({ reward }) => reward)
        return { kind, user, items, time, ...(step.rewarded && { rewards }) }
      }
      case 'taken': {
        const { kind, user, reward, time } = step
        return { kind, user, item: nameAt(step.at), reward, time }
      }
      case 'items-added': {
        const like = step.like % 2 === 0 ? [] : [nameAt(step.like)]
        const again = step.like % 3 === 0 ? removed.splice(0, 1) : []
        const fresh = Array.from({ length: step.count }, () => `new ${(added += 1)}`)
        for (const name of fresh) names.add(name)
        return { kind: step.kind, names: [...again, ...fresh], like }
      }
      case 'items-removed': {
        const name = nameAt(step.at)
        if (!removed.includes(name)) removed.push(name)
        return { kind: step.kind, names: [name] }
      }
      default:
        return step
    }
  })
}
