// A request becomes a slate: the user's variant, the items that may be picked, the policy, and a line in
// the log, which the answer does not wait for.

import { randomBytes } from 'node:crypto'

import type { Engine } from '../../kernels/index.ts'
import type { Recommendation } from '../../recommender/index.ts'
import type { LoggedRecommendation, ServedItem } from '../../storage/index.ts'
import { toJson } from '../../storage/log-event.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import { requireShallow } from '../limits.ts'
import type { Journal } from '../log/journal.ts'
import type { Tailer } from '../log/tailer.ts'
import { recommendRequest } from '../schemas/requests.ts'
import type { Service, ServiceRequest } from '../service.ts'
import type { ServedRecommendation } from '../schemas/recommendation.ts'
import type { LiveState } from '../state/live-state.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import { checkOf, valid } from '../validator.ts'
import type { FilterRows } from './filter.ts'
import { RequestPolicies } from './request-policies.ts'
import type { ChosenPolicy } from './request-policies.ts'
import { isSeenAllowed } from './seen-exclusion.ts'
import { withItems } from './served-slates.ts'
import type { PendingSlates, SlateWriter } from './served-slates.ts'

/** Slates on their way into the log; beyond them, answers wait for the store. */
const maxUnwritten = 10_000

interface Dependencies {
  readonly engine: Engine
  readonly settings: Pick<CompleteSettings, 'clock'>
  readonly state: LiveState
  readonly filterRows: FilterRows
  readonly pendingSlates: PendingSlates
  readonly slateWriter: SlateWriter
  readonly journal: Pick<Journal, 'settled'>
  readonly tailer: Pick<Tailer, 'position' | 'reached'>
  /** Aborts when the service closes. */
  readonly ended: AbortSignal
}

export function createRecommend(
  dependencies: Dependencies,
): Pick<Service, 'recommend' | 'recommendJson'> {
  const { settings, state, pendingSlates, slateWriter, journal, tailer, ended } = dependencies
  const policies = new RequestPolicies(dependencies.engine)
  const nextId = createRecommendationIds()

  async function serve(given: ServiceRequest): Promise<Answer> {
    ended.throwIfAborted()
    const request = requireRequest(given)
    const { user, afterPosition = 0, record = true } = request
    if (afterPosition > tailer.position) await tailer.reached(afterPosition)
    if (record && pendingSlates.size > maxUnwritten) await journal.settled()
    ended.throwIfAborted()
    const { variant, group } = state.servedBy(user)
    const chosen = policies.choose(group.policies.get(variant.name)!, request)
    const { items, seenAllowed, ...picked } = pick(dependencies, request, group, chosen)
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
      const { facts, items } = await serve(request)
      // The caller may do what they like with theirs.
      return { ...facts, items: items.map((item) => ({ ...item })) }
    },
    async recommendJson(request) {
      const { facts, items, json = JSON.stringify(items) } = await serve(request)
      return withItems(facts, json)
    },
  }
}

const checkRequest = checkOf(recommendRequest, 'request')

function requireRequest(given: ServiceRequest): ServiceRequest {
  const request = valid(checkRequest(given))
  const { context } = request
  if (context === undefined) return request
  requireShallow(context, 'request.context')
  toJson(context, 'request.context')
  return request
}

/** A slate and what the answer says of it. */
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
  { state, filterRows, pendingSlates }: Dependencies,
  request: ServiceRequest,
  { recommender }: ModelGroup,
  chosen: ChosenPolicy,
): Picked {
  const { user, count, candidates, filter, boost, pin } = request
  const among = filter === undefined ? undefined : filterRows(filter)
  if (state.catalog.names.length === state.catalog.removed.size) return emptySlate('no-items')
  const matchesNothing = among?.length === 0 || candidates?.length === 0
  if (matchesNothing && !pin?.length) return emptySlate('nothing-matches')
  const pending = pendingSlates.ofUser(user)
  // Confirmed or not, each slate is another throw of the dice.
  const slates = recommender.state.users.get(user)?.recentSlates
  const requestNumber = (slates ? slates.dropped + slates.length : 0) + pending.size
  const { excludeSeen, isAuto } = state.seenExclusion.of(request, requestNumber)
  const without = (seen: typeof excludeSeen): Picked => {
    const exclude = seen === 'shown' ? withShown(request, pending) : request.exclude
    const { items, complete, weights } = recommender.recommend({
      user,
      count,
      requestNumber,
      ...chosen,
      ...(among !== undefined && { among }),
      ...(candidates !== undefined && { candidates }),
      ...(exclude !== undefined && { exclude }),
      excludeSeen: seen,
      ...(boost !== undefined && { boost }),
      ...(pin !== undefined && { pin }),
    })
    const seenAllowed = isSeenAllowed(request, seen)
    return { complete, weights: termWeights(weights), items, seenAllowed }
  }
  const first = without(excludeSeen)
  const isTooShort = isAuto && excludeSeen !== false && !first.complete
  const slate = isTooShort ? without(false) : first
  return slate.items.length > 0 ? slate : emptySlate('all-excluded')
}

/** Items with what their relevance is made of, where it is made of more than the model. */
function explained(
  { recommender: { blend } }: ModelGroup,
  { user, candidates }: ServiceRequest,
  items: readonly ServedItem[],
): ServedRecommendation['items'] {
  if (blend === null) return items
  const among = candidates === undefined ? 'catalog' : 'candidates'
  return items.map((item) => ({ ...item, ...blend.explain(user, item.item, among) }))
}

interface Answer {
  readonly facts: Omit<ServedRecommendation, 'items'>
  readonly items: ServedRecommendation['items']
  /** Of the items, where the log has needed it. */
  readonly json: string | undefined
}

function termWeights(weights: Recommendation['weights']): ServedRecommendation['weights'] {
  if (weights === undefined) return null
  const { relevanceWeight, diversityWeight, uncertaintyWeight } = weights
  return {
    relevance: relevanceWeight,
    diversity: diversityWeight,
    uncertainty: uncertaintyWeight,
  }
}

/** The state does not know yet that these were shown. */
function withShown(
  { exclude }: ServiceRequest,
  pending: ReadonlySet<LoggedRecommendation>,
): ServiceRequest['exclude'] {
  const shown = [...pending].filter(({ counted }) => counted)
  if (shown.length === 0) return exclude
  return [...(exclude ?? []), ...shown.flatMap(({ items }) => items.map(({ item }) => item))]
}

// Ids of recommendations sort by time and cannot be guessed.

/** 80 bits of chance. */
const randomLength = 10
/** Chance is cheap by the block. */
const blockLength = 512 * randomLength

const inOrder = (value: number, digits: number): string => value.toString(36).padStart(digits, '0')

/** The next id at a time in milliseconds, which may go backwards: the order of ids does not. */
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
