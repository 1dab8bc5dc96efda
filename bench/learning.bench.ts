// The learner's cost by the number of users and of items: an update that trains on 64 users with new
// events, and the search for the weights that it changed. Both sizes take turns in one run.

import { slateItems, type RenEvent } from '../src/core/events.ts'
import { createRandom } from '../src/core/random.ts'
import { createEngine, type Engine } from '../src/kernels/index.ts'
import { createMethod } from '../src/recommender/index.ts'
import { completeSettings } from '../src/service/complete-settings.ts'
import { modelGroupPlans } from '../src/service/state/model-groups.ts'
import { describeMachine, median } from './measure.ts'
import type { Figure, FigureReport } from './measure.ts'

const warmUps = 5
const rounds = 15
const interactionsPerUser = 4

export async function run(): Promise<FigureReport> {
  const engine = await createEngine()
  const users = measure(
    engine,
    { users: 100_000, items: 10_000 },
    { users: 1_000_000, items: 10_000 },
  )
  const items = measure(
    engine,
    { users: 10_000, items: 100_000 },
    { users: 10_000, items: 1_000_000 },
  )
  const figures = [
    ...figuresOf('100,000 users', '1,000,000 users', users, '≤ 1.5'),
    ...figuresOf('100,000 items', '1,000,000 items', items),
  ]
  return { machine: describeMachine(), figures }
}

interface Size {
  readonly users: number
  readonly items: number
}

/** Milliseconds of processor time. */
interface Cost {
  readonly update: number
  readonly changes: number
}

type Pair = readonly [small: Cost, large: Cost]

/** Returns the costs of both sizes in each round. */
function measure(engine: Engine, small: Size, large: Size): readonly Pair[] {
  const [one, other] = [openLearner(engine, small), openLearner(engine, large)]
  // The first update of each examines all users, and the next ones warm up.
  const all = Array.from({ length: warmUps + rounds }, (): Pair => [one(), other()])
  return all.slice(warmUps)
}

function figuresOf(small: string, large: string, costs: readonly Pair[], bar?: string): Figure[] {
  const ratios = costs.map(([one, other]) => other.update / one.update)
  return [
    ...[small, large].flatMap((size, at) => [
      milliseconds(`update of 64 users, ${size}`, costs, (pair) => pair[at]!.update),
      milliseconds(`changed weights, ${size}`, costs, (pair) => pair[at]!.changes),
    ]),
    {
      figure: `update, ${large} over ${small}`,
      value: median(ratios),
      unit: '×',
      ...(bar && { bar }),
    },
  ]
}

const milliseconds = (
  figure: string,
  costs: readonly Pair[],
  of: (pair: Pair) => number,
): Figure => ({ figure, value: median(costs.map(of)), unit: 'ms' })

/** Opens a recommender with the settings of `ren serve`; each call measures one update. */
function openLearner(engine: Engine, { users, items }: Size): () => Cost {
  const settings = completeSettings({ store: 'unused' })
  const plan = modelGroupPlans(settings)[0]!
  const { maxUsers, holdOut, tolerance } = settings.learning
  const { attributionWindow, maxPerUser } = settings
  const random = createRandom('learning bench')
  const itemNames = Array.from({ length: items }, (_, item) => `item ${item}`)
  const recommender = createMethod(engine, plan.method, {
    itemNames,
    seed: 1,
    settings: plan.settings,
    maxPerUser,
    fineTune: { attributionWindow, maxUsers, holdOut, tolerance },
  })
  const anyItem = () => itemNames[random.integer(items)]!
  let time = 0
  const interact = (user: number): RenEvent => ({
    kind: 'interaction',
    user: `user ${user}`,
    item: anyItem(),
    reward: 1,
    time: (time += 1),
  })
  for (let event = 0; event < users * interactionsPerUser; event++) {
    recommender.observe(interact(event % users))
  }
  const watch = recommender.watchWeights()
  // All of this is learned already, as after a restart of the learner.
  recommender.adopt({
    ...watch.changes(),
    trainedUpToEvent: recommender.state.events,
    trainedUpToTime: time,
  })
  const cpu = (work: () => unknown): number => {
    const { user, system } = process.cpuUsage()
    work()
    const after = process.cpuUsage()
    return (after.user - user + after.system - system) / 1000
  }
  return () => {
    for (let i = 0; i < maxUsers; i++) {
      const user = random.integer(users)
      const slate = slateItems(Array.from({ length: 10 }, anyItem))
      time += 1000
      recommender.observe({ kind: 'recommendation', user: `user ${user}`, items: slate, time })
      recommender.observe(interact(user))
    }
    const update = cpu(() => recommender.hasNewEvents(time) && recommender.fineTune({ now: time }))
    return { update, changes: cpu(() => watch.changes()) }
  }
}
