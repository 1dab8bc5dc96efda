// A request becomes a slate: the user's variant, the items that may be picked, the policy, and a line in
// the log, which the answer does not wait for.

import { randomBytes } from 'node:crypto'

import { describeValue } from '../../core/describe-value.ts'
import { requireCount } from '../../exploration/requirements.ts'
import type { Recommendation } from '../../recommender/index.ts'
import { invalid, requireList, requireObject } from '../../recommender/requirements.ts'
import type { LoggedRecommendation, ServedItem } from '../../storage/index.ts'
import { requireText, toJson } from '../../storage/plain-json.ts'
import type { CompleteVariant } from '../complete-settings.ts'
import { requireKeys } from '../complete-settings.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import { requireLimits, createRequestPolicies } from './request-policies.ts'
import type { ChosenPolicy } from './request-policies.ts'
import { requireExcludeSeen, isSeenAllowed } from './seen-exclusion.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { ServedRecommendation, Service, ServiceRequest } from '../service.ts'
import { withItems, createWriteServed } from './write-recommendation.ts'

const keys = [
  'user',
  'count',
  'candidates',
  'exclude',
  'filter',
  'excludeSeen',
  'boost',
  'pin',
  'slate',
  'exploration',
  'context',
  'afterPosition',
  'record',
  'explain',
] as const satisfies readonly (keyof ServiceRequest)[]

/** Slates on their way into the log; beyond them, answers wait for the store. */
const maxUnwritten = 10_000

type PickDependencies = Pick<ServiceParts, 'filterRows' | 'pendingSlates' | 'seenExclusion'>

type Dependencies = PickDependencies &
  Parameters<typeof createWriteServed>[0] &
  Pick<ServiceParts, 'engine' | 'split' | 'groupOf' | 'requireOpen'>

export function createRecommend(
  dependencies: Dependencies,
): Pick<Service, 'recommend' | 'recommendJson'> {
  const { engine, split, tailer, journal, settings, groupOf, requireOpen } = dependencies
  const policiesFor = createRequestPolicies(engine)
  const nextId = createRecommendationIds()
  const write = createWriteServed(dependencies)

  async function serve(request: ServiceRequest): Promise<Answer> {
    requireServiceRequest(request)
    const { afterPosition = 0, record = true } = request
    if (afterPosition > tailer.position) await tailer.reached(afterPosition)
    if (record && journal.pending > maxUnwritten) await journal.settled()
    requireOpen()
    const variant: CompleteVariant = split.variantOf(request.user)
    const group = groupOf(variant.name)
    const chosen = policiesFor(group.policies.get(variant.name)!, request)
    const asked = pick(dependencies, request, group, chosen)
    const items: readonly ServedItem[] = 'items' in asked ? asked.items : []
    const seenAllowed = 'items' in asked && asked.seenAllowed
    const id = record && items.length > 0 ? nextId(settings.clock()) : null
    const served = {
      recommendationId: id,
      modelVersion: group.version,
      variant: variant.name,
      policy: chosen.policy.name,
    }
    const json = id === null ? undefined : write(id, { ...served, items, seenAllowed }, request)
    const facts = {
      ...served,
      complete: 'items' in asked && asked.complete,
      ...('empty' in asked && { empty: asked.empty }),
      weights: 'items' in asked ? termWeights(asked) : null,
      position: tailer.position,
    }
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

function pick(
  { filterRows, pendingSlates, seenExclusion }: PickDependencies,
  request: ServiceRequest,
  group: ModelGroup,
  chosen: ChosenPolicy,
): Asked {
  const { user, count, candidates, filter, boost, pin } = request
  const { recommender } = group
  const { catalog } = recommender.state
  const among = filter === undefined ? undefined : filterRows(filter)
  if (catalog.names.length === catalog.removed.size) return { empty: 'no-items' }
  const matchesNothing = among?.length === 0 || candidates?.length === 0
  if (matchesNothing && !pin?.length) return { empty: 'nothing-matches' }
  const pending = pendingSlates.ofUser(user)
  const requestNumber = slatesHandedOut(group, user) + pending.size
  const { excludeSeen, isAuto } = seenExclusion.of(request, requestNumber)
  const without = (seen: typeof excludeSeen): SlateAsked => {
    const exclude = seen === 'shown' ? withShown(request, pending) : request.exclude
    const slate = recommender.recommend({
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
    return { ...slate, seenAllowed: isSeenAllowed(request, seen) }
  }
  const first = without(excludeSeen)
  const isTooShort = isAuto && excludeSeen !== false && !first.complete
  const slate = isTooShort ? without(false) : first
  return slate.items.length > 0 ? slate : { empty: 'all-excluded' }
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

function termWeights({ weights }: Recommendation): ServedRecommendation['weights'] {
  if (weights === undefined) return null
  const { relevanceWeight, diversityWeight, uncertaintyWeight } = weights
  return {
    relevance: relevanceWeight,
    diversity: diversityWeight,
    uncertainty: uncertaintyWeight,
  }
}

/** Confirmed or not, each slate is another throw of the dice. */
function slatesHandedOut({ recommender }: ModelGroup, user: string): number {
  const slates = recommender.state.users.get(user)?.recentSlates
  return slates === undefined ? 0 : slates.dropped + slates.length
}

/** The state does not know yet that these were shown. */
function withShown(
  { exclude }: ServiceRequest,
  pending: ReadonlySet<LoggedRecommendation>,
): ServiceRequest['exclude'] {
  const shown = [...pending].filter(({ counted }) => counted)
  if (shown.length === 0) return exclude
  if (exclude !== undefined) requireList('exclude', exclude)
  return [...(exclude ?? []), ...shown.flatMap(({ items }) => items.map(({ item }) => item))]
}

type SlateAsked = Recommendation & { readonly seenAllowed: boolean }

type Asked = SlateAsked | { readonly empty: NonNullable<ServedRecommendation['empty']> }

/** What the recommender does not check itself, or checks too late. */
function requireServiceRequest(request: ServiceRequest): void {
  requireObject('request', request)
  requireKeys('request', request, keys)
  const { user, candidates, excludeSeen, boost, context, afterPosition, record, explain } = request
  requireText(user, 'user')
  if (excludeSeen !== undefined) requireExcludeSeen(excludeSeen)
  if (candidates !== undefined) requireList('candidates', candidates)
  if (boost !== undefined) {
    requireObject('boost', boost)
    requireLimits('boost', boost)
  }
  if (context !== undefined) {
    requireObject('context', context)
    toJson(context, 'context')
  }
  if (afterPosition !== undefined) requireCount('afterPosition', afterPosition)
  for (const [key, value] of Object.entries({ record, explain })) {
    if (value === undefined || typeof value === 'boolean') continue
    throw invalid(`${key} must be true or false, got ${describeValue(value)}`)
  }
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
