// Random logs of events for a recommender. Every event is valid after those before it.

import * as fc from 'fast-check'
import { foldEvents } from 'ren-recommender/recommender'
import type { ImpressionsEvent, ObservedEvent, UserState } from 'ren-recommender/recommender'

export const firstItems = ['a', 'b', 'c', 'd', 'e', 'f']
export const someUsers = ['ann', 'bob', 'cem']
/** The length of the vectors of new items, if they have vectors. */
export const vectorLength = 6

// An item is drawn as a number, which selects one of the names that exist at that point.
const anyUser = fc.constantFrom(...someUsers)
const anyReward = fc.oneof(fc.constantFrom(-1, 0, 1), fc.double({ min: -2, max: 2, noNaN: true }))
const anyTime = fc.integer({ min: 0, max: 1e6 })
const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('recommendation' as const),
      user: anyUser,
      items: fc.array(fc.record({ at: fc.nat(), reward: anyReward }), { maxLength: 4 }),
      rewarded: fc.boolean(),
      time: anyTime,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('interaction' as const),
      user: anyUser,
      at: fc.nat(),
      reward: anyReward,
      time: anyTime,
    }),
  },
  fc.record({ kind: fc.constant('items-put' as const), count: fc.nat(3), like: fc.nat() }),
  fc.record({ kind: fc.constant('items-removed' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('user-erased' as const), user: anyUser }),
)
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never

/** Slates, interactions, added and removed items, and erased users. */
export const anyEvents = fc.array(anyStep, { maxLength: 40 }).map(toEvents)

/** Fields that a service adds to an event, and later events that refer to it. */
const anyNote = fc.record({
  named: fc.boolean(),
  counted: fc.boolean(),
  seenAllowed: fc.boolean(),
  slate: fc.nat(),
  vectors: fc.boolean(),
  next: fc.constantFrom('nothing', 'nothing', 'seen', 'seen', 'joined', 'changed'),
  seen: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  user: anyUser,
  change: fc.tuple(fc.nat(5), fc.nat(5)),
})
type Note = typeof anyNote extends fc.Arbitrary<infer T> ? T : never

/** A user of another log with the same initial items. */
const anyOther = anyEvents.map((events) => {
  const ofFirst = events.filter(
    (event) => !event.kind.startsWith('items') && !JSON.stringify(event).includes('new '),
  )
  const { users } = foldEvents(firstItems, ofFirst)
  return users.values().next().value
})

/** Events of every kind: slates with ids and impressions, merged users, corrected counts. */
export const anyLog = fc
  .tuple(anyEvents, fc.array(anyNote, { minLength: 40, maxLength: 40 }), anyOther)
  .map(([events, notes, other]) => {
    const slates: Slate[] = []
    return events.flatMap((event, i) => {
      const noted = withNote(event, i, notes[i]!, slates)
      if (noted.kind === 'recommendation' && noted.recommendationId !== undefined) {
        const { user, recommendationId } = noted
        slates.push({ user, recommendationId, items: noted.items.map(({ item }) => item) })
      }
      return [noted, ...eventsAfter(notes[i]!, slates, other)]
    })
  })

type Slate = Pick<ImpressionsEvent, 'user' | 'items' | 'recommendationId'>

function withNote(
  event: ObservedEvent,
  i: number,
  note: Note,
  slates: readonly Slate[],
): ObservedEvent {
  if (event.kind === 'items-put' && note.vectors) {
    const embedding = (j: number) => Array<number>(vectorLength).fill(j / 8)
    return { ...event, items: event.items.map((put, j) => ({ ...put, embedding: embedding(j) })) }
  }
  if (!note.named) return event
  if (event.kind === 'recommendation') {
    const { counted, seenAllowed } = note
    return { ...event, recommendationId: `slate ${i}`, counted, seenAllowed }
  }
  // One of the slates so far, of any user, or an unknown one.
  const recommendationId = slates[note.slate % (slates.length + 1)]?.recommendationId ?? 'none'
  return event.kind === 'interaction' ? { ...event, recommendationId } : event
}

function eventsAfter(note: Note, slates: readonly Slate[], other?: UserState): ObservedEvent[] {
  const slate = slates[note.slate % slates.length]
  if (note.next === 'seen' && slate) {
    const { user, recommendationId } = slate
    const items = [...slate.items.filter((_, slot) => note.seen[slot]), 'a stranger']
    return [{ kind: 'impressions', user, recommendationId, items }]
  }
  if (note.next === 'joined' && other) return [{ kind: 'user-joined', user: note.user, other }]
  if (note.next !== 'changed') return []
  const [more, fewer] = note.change
  const takes = [['b', more]] as const
  const impressions = [
    ['a', more],
    ['a', -Math.min(more, fewer)],
  ] as const
  return [{ kind: 'erased', impressions, interactions: takes, day: fewer }]
}

function toEvents(steps: readonly Step[]): ObservedEvent[] {
  const names = new Set(firstItems)
  const removed: string[] = []
  let added = 0
  const nameAt = (at: number): string => [...names][at % names.size]!

  return steps.map((step): ObservedEvent => {
    switch (step.kind) {
      case 'recommendation': {
        const { kind, user, time } = step
        const items = step.items.map(({ at, reward }) => {
          return { item: nameAt(at), ...(step.rewarded && { reward }) }
        })
        return { kind, user, items, time }
      }
      case 'interaction': {
        const { kind, user, reward, time } = step
        return { kind, user, item: nameAt(step.at), reward, time }
      }
      case 'items-put': {
        const like = step.like % 2 === 0 ? [] : [nameAt(step.like)]
        const again = step.like % 3 === 0 ? removed.splice(0, 1) : []
        const fresh = Array.from({ length: step.count }, () => `new ${(added += 1)}`)
        for (const name of fresh) names.add(name)
        return { kind: step.kind, items: [...again, ...fresh].map((item) => ({ item, like })) }
      }
      case 'items-removed': {
        const name = nameAt(step.at)
        if (!removed.includes(name)) removed.push(name)
        return { kind: step.kind, items: [name] }
      }
      default:
        return step
    }
  })
}
