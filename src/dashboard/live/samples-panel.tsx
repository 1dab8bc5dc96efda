// A few users with their last items and the slate they would be served now: the quickest way to see
// whether recommendations make sense.

import { useState } from 'preact/hooks'

import { mean } from '../../core/statistics.ts'
import type { ServedRecommendation, UserEntry, UserInfo } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import { count, counted } from '../format.ts'
import { ItemLink, ItemNames } from '../parts/items.tsx'
import { Button, Empty, Loaded, Panel } from '../parts/panel.tsx'
import { Because, differingParts, PartsBar, PartsLegend } from '../parts/relevance-parts.tsx'
import { addressOf } from '../route.ts'

const [samples, slateLength, maxUsers, maxHistory] = [3, 10, 200, 5]

/** Requests slates again when the first users appear, but not for every new user. */
export function SamplesPanel({ hasUsers }: { readonly hasUsers: boolean }) {
  const [round, setRound] = useState(0)
  const fetched = useFetch((signal) => fetchSamples(round, signal), [round, hasUsers])
  return (
    <Panel
      title="Sample slates"
      class="wide"
      aside={
        <div class="row">
          <PartsLegend />
          <Button class="small" label="Other users" onClick={() => setRound(round + 1)} />
        </div>
      }
    >
      <Loaded {...{ fetched }} what="sample slates">
        {(found) =>
          found.length === 0 ? (
            <Empty>No user has interacted with an item yet.</Empty>
          ) : (
            <div class="samples">
              {found.map((sample) => (
                <Sample key={sample.info.user} {...sample} />
              ))}
            </div>
          )
        }
      </Loaded>
      <p class="soft small">
        The slates that these users would be served now; nothing is recorded. A bar shows the parts
        of an item’s relevance, without parts that are equal for all items of a slate. Explored
        items are not among the {slateLength} most relevant.
      </p>
    </Panel>
  )
}

interface SampleProps {
  readonly info: UserInfo
  readonly interactions: number
  readonly items: ServedRecommendation['items']
  /** The reason why each explored item is in the slate. */
  readonly explored: ReadonlyMap<string, string>
}

async function fetchSamples(round: number, signal: AbortSignal): Promise<readonly SampleProps[]> {
  const { entries } = await api.users({ limit: maxUsers }, signal)
  const users = sampleOf(entries, samples, round)
  if (users.length === 0) return []
  const requests = users.map(({ user }) => ({ user, count: slateLength, record: false }))
  const [{ results }, ...infos] = await Promise.all([
    api.recommendMany(
      [
        ...requests.map((request) => ({ ...request, explain: true })),
        ...requests.map((request) => ({ ...request, exploration: { weight: 0 } })),
      ],
      signal,
    ),
    ...users.map(({ user }) => api.user(user, signal)),
  ])
  return infos.map((info, i) => {
    const slateAt = (index: number): Slate => {
      const result = results[index]!
      return 'items' in result ? result : noSlate
    }
    const slate = slateAt(i)
    const explored = exploredItems(slate, slateAt(users.length + i))
    return { info, interactions: users[i]!.interactions, items: slate.items, explored }
  })
}

type Slate = Pick<ServedRecommendation, 'items' | 'weights'>

/** In place of an error. */
const noSlate: Slate = { items: [], weights: null }

/** Relevance is equal for equal items of both slates, up to rounding. */
const rounding = 1e-6

/**
 * The items of a slate that are less relevant than all items of the greedy slate, each with the bonus
 * that is furthest above its mean in the slate.
 */
export function exploredItems(
  { items, weights }: Slate,
  greedy: Pick<Slate, 'items'>,
): ReadonlyMap<string, string> {
  const border = (greedy.items.at(-1)?.relevance ?? -Infinity) - rounding
  const excess = (term: 'diversity' | 'uncertainty', value: number): number =>
    weights ? weights[term] * (value - mean(items.map((item) => item[term]))) : 0
  return new Map(
    items
      .filter(({ relevance }) => relevance < border)
      .map(({ item, diversity, uncertainty }) => {
        const isNew = excess('uncertainty', uncertainty) >= excess('diversity', diversity)
        const reason = isNew ? 'few impressions so far' : 'unlike the user’s history'
        return [item, weights ? `explored: ${reason}` : 'explored']
      }),
  )
}

function Sample({ info: { user, history }, interactions, items, explored }: SampleProps) {
  const names = differingParts(items)
  const recent = history.slice(0, maxHistory).map(({ item }) => item)
  return (
    <section class="sample" aria-label={`Sample slate of ${user}`}>
      <h3>
        <a href={addressOf('why', { user, weight: 'own' })}>User {user}</a>{' '}
        <span class="soft small">{counted(interactions, 'interaction')}</span>
      </h3>
      <p class="small">
        <span class="soft">
          {interactions > maxHistory ? `Last ${count(maxHistory)}` : 'History'}:{' '}
        </span>
        <ItemNames items={recent} />
      </p>
      <ol>
        {items.map(({ item, parts, because }) => (
          <li key={item}>
            <ItemLink item={item} />
            {parts && <PartsBar {...{ parts, names }} />}
            {explored.has(item) ? (
              <span class="soft small">{explored.get(item)}</span>
            ) : (
              <Because because={because} />
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

/**
 * Selects `size` users with a history, spread over the list and different in each round. Users with
 * enough interactions to judge a slate come first.
 */
export function sampleOf<T extends Pick<UserEntry, 'interactions'>>(
  users: readonly T[],
  size: number,
  round: number,
): readonly T[] {
  const active = users.filter(({ interactions }) => interactions > 0)
  const known = active.filter(({ interactions }) => interactions >= minInteractions)
  const pool = known.length >= size ? known : active
  const step = Math.max(1, Math.floor(pool.length / size))
  return pool
    .map((_, i) => pool[((i % size) * step + Math.floor(i / size)) % pool.length]!)
    .filter((user, i, all) => all.indexOf(user) === i)
    .slice((round * size) % Math.max(1, pool.length))
    .slice(0, size)
}

const minInteractions = 5
