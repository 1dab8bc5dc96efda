// Serves a request: finds the user's variant, the candidates and the policy, picks a slate, and logs
// it. The response does not wait for the log.

import { randomBytes } from 'node:crypto'

import type { Recommendation } from '../../recommender/index.ts'
import type { LoggedRecommendation, ServedItem } from '../../storage/index.ts'
import { toJson } from '../../storage/log-event.ts'
import { requireShallow } from '../limits.ts'
import { shortened, SlateWriter, withItems } from '../log/journal.ts'
import { recommendRequest } from '../schemas/requests.ts'
import type { ServiceParts } from '../service-api.ts'
import type { Service, ServiceRequest } from '../service.ts'
import type { ServedRecommendation } from '../schemas/recommendation.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import { checkOf, valid } from '../validator.ts'
import { createFilterRows, type FilterRows } from './filter.ts'
import { isSeenAllowed, RequestPolicies, type ChosenPolicy } from './request-options.ts'

/** Maximum number of slates that are not yet in the log. With more, requests wait for the store. */
const maxUnwritten = 10_000

type RecommendParts = ConstructorParameters<typeof SlateWriter>[0] &
  Pick<ServiceParts, 'state' | 'engine'>

export function createRecommend(
  parts: RecommendParts,
): Pick<Service, 'recommend' | 'recommendJson'> {
  const { settings, state, pendingSlates, journal, tailer } = parts
  const slateWriter = new SlateWriter(parts)
  const filterRows = createFilterRows(state.attributes, state.catalog)
  const policies = new RequestPolicies(parts.engine)
  const nextId = createRecommendationIds()

  /** Returns the items also as JSON if the log has needed it. */
  async function serve(given: ServiceRequest) {
    tailer.beginCall()
    const request = requireRequest(given)
    const { user, afterPosition = 0, record = true } = request
    if (afterPosition > tailer.position) await tailer.reached(afterPosition)
    if (record && pendingSlates.size > maxUnwritten) await journal.settled()
    tailer.beginRead()
    const { variant, group } = state.servedBy(user)
    const chosen = policies.choose(group.policies.get(variant.name)!, request)
    const { items: exact, seenAllowed, ...picked } = pick(parts, filterRows, request, group, chosen)
    const items = shortened(exact)
    const id = record && items.length > 0 ? nextId(settings.clock()) : null
    const served = {
      recommendationId: id,
      modelVersion: group.version,
      variant: variant.name,
      policy: chosen.policy.name,
    }
    const json =
      id === null ? undefined : slateWriter.write(id, { ...served, items, seenAllowed }, request)
    const facts = { ...served, ...picked, position: tailer.position }
    if (request.explain !== true) return { facts, items, json }
    return { facts, items: explained(group, request, items), json: undefined }
  }

  return {
    async recommend(request) {
      const { facts, items } = await tailer.withNewItems(() => serve(request))
      // Copies the items, since the log still needs its own.
      return { ...facts, items: items.map((item) => ({ ...item })) }
    },
    async recommendJson(request) {
      const served = await tailer.withNewItems(() => serve(request))
      const { facts, items, json = JSON.stringify(items) } = served
      return withItems(facts, json)
    },
  }
}

const checkRequest = checkOf(recommendRequest, 'request')

function requireRequest(given: ServiceRequest): ServiceRequest {
  const request = valid(checkRequest(given))
  const { context } = request
  if (context === undefined) return request
  requireShallow(context, 'context')
  toJson(context, 'context')
  return request
}

interface Picked extends Pick<ServedRecommendation, 'complete' | 'empty' | 'weights'> {
  readonly items: readonly ServedItem[]
  readonly seenAllowed: boolean
}

const emptySlate = (empty: NonNullable<Picked['empty']>): Picked => ({
  complete: false,
  empty,
  weights: null,
  items: [],
  seenAllowed: false,
})

function pick(
  { state, pendingSlates }: Pick<ServiceParts, 'state' | 'pendingSlates'>,
  filterRows: FilterRows,
  request: ServiceRequest,
  { recommender }: ModelGroup,
  chosen: ChosenPolicy,
): Picked {
  const { user, candidates, filter, boost, pin } = request
  const among = filter === undefined ? undefined : filterRows(filter)
  if (state.catalog.names.length === state.catalog.removed.size) return emptySlate('no-items')
  const matchesNothing = among?.length === 0 || candidates?.length === 0
  if (matchesNothing && !pin?.length) return emptySlate('nothing-matches')
  const pending = pendingSlates.ofUser(user)
  // Each slate has its own random numbers, whether its impressions are confirmed or not.
  const known = recommender.state.users.get(user)
  const slates = known?.recentSlates
  const requestNumber = (slates ? slates.dropped + slates.length : 0) + pending.size
  const { excludeSeen, isAuto } = state.seenExclusion.of(request, requestNumber)
  const recommend = (seen: typeof excludeSeen, changes: Partial<ServiceRequest> = {}): Picked => {
    const changed = { ...request, ...changes }
    const exclude = seen === 'shown' ? withShown(changed, pending) : changed.exclude
    const { items, complete, weights } = recommender.recommendChecked({
      user,
      count: changed.count,
      requestNumber,
      ...chosen,
      ...(among !== undefined && { among }),
      ...(candidates !== undefined && { candidates }),
      ...(exclude !== undefined && { exclude }),
      excludeSeen: seen,
      ...(boost !== undefined && { boost }),
      ...(changed.pin !== undefined && { pin: changed.pin }),
    })
    const seenAllowed = isSeenAllowed(request, seen, among, known)
    return { complete, weights: termWeights(weights), items, seenAllowed }
  }
  const first = recommend(excludeSeen)
  const isTooShort = isAuto && excludeSeen !== false && !first.complete
  const slate = isTooShort
    ? filledUp(request, first, (changes) => recommend(false, changes))
    : first
  return slate.items.length > 0 ? slate : emptySlate('all-excluded')
}

/**
 * Adds seen items after the unseen ones of a slate that is too short. Such a slate is no evidence of
 * repeats: it contains seen items because the user has no others left.
 */
function filledUp(
  request: ServiceRequest,
  unseen: Picked,
  recommend: (changes: Partial<ServiceRequest>) => Picked,
): Picked {
  const { count, exclude = [], pin = [] } = request
  // The slots of pinned items are those of a whole slate.
  if (unseen.items.length === 0 || pin.length > 0) return { ...recommend({}), seenAllowed: false }
  const seen = recommend({
    count: count - unseen.items.length,
    exclude: [...exclude, ...unseen.items.map(({ item }) => item)],
  })
  if (seen.items.length === 0) return { ...unseen, seenAllowed: seen.seenAllowed }
  const items = seen.items.map((item) => ({ ...item, score: scoreWith(unseen.weights, item) }))
  return { ...unseen, complete: seen.complete, items: [...unseen.items, ...items] }
}

/** The score by the weights of the response, so that the terms of all its items add up. */
function scoreWith(weights: Picked['weights'], item: ServedItem): number {
  if (weights === null) return item.score
  const { relevance, diversity, uncertainty, experience = 0, boost = 0 } = item
  const bonuses = weights.diversity * diversity + weights.uncertainty * uncertainty
  return weights.relevance * relevance + bonuses + experience + boost
}

/** Adds the parts of each item's relevance, if it is blended. */
function explained(
  { recommender: { blend } }: ModelGroup,
  { user, candidates }: ServiceRequest,
  items: readonly ServedItem[],
): ServedRecommendation['items'] {
  if (blend === null) return items
  const among = candidates === undefined ? 'catalog' : 'candidates'
  return items.map((item) => ({ ...item, ...blend.explain(user, item.item, among) }))
}

function termWeights(weights: Recommendation['weights']): ServedRecommendation['weights'] {
  if (weights === undefined) return null
  const { relevanceWeight, diversityWeight, uncertaintyWeight } = weights
  return { relevance: relevanceWeight, diversity: diversityWeight, uncertainty: uncertaintyWeight }
}

/** Adds the items of pending slates to `exclude`, since the state does not count them as shown yet. */
function withShown(
  { exclude }: ServiceRequest,
  pending: ReadonlySet<LoggedRecommendation>,
): ServiceRequest['exclude'] {
  const shown = [...pending].filter(({ counted }) => counted)
  if (shown.length === 0) return exclude
  return [...(exclude ?? []), ...shown.flatMap(({ items }) => items.map(({ item }) => item))]
}

/** Random bytes per id: 80 bits. */
const randomLength = 10
/** Bytes to generate at once, which is cheaper than per id. */
const blockLength = 512 * randomLength

const inOrder = (value: number, digits: number): string => value.toString(36).padStart(digits, '0')

/**
 * Creates ids that sort by time and cannot be guessed. The ids stay in order even if the clock goes
 * backwards.
 */
export function createRecommendationIds(): (time: number) => string {
  let [block, used] = [Buffer.alloc(0), 0]
  let [last, count] = [0, 0]
  return (time) => {
    const now = Math.max(last, Math.floor(time))
    count = now === last ? count + 1 : 0
    last = now
    if (used === block.length) [block, used] = [randomBytes(blockLength), 0]
    const random = block.toString('hex', used, (used += randomLength))
    return `${inOrder(now, 9)}${inOrder(count, 5)}${random}`
  }
}
