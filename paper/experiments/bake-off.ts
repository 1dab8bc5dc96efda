// The policies in all worlds where they were compared: how near each comes to the best policy of a world,
// and whether another policy is better by more than its 95% interval, paired by seed. Every panel of
// these plans is a world. Each policy has one setting per world or plan, which other seeds chose.

import type { RunRow } from '../../src/experiments/protocol.ts'
import { summarize, type Comparison } from '../../src/experiments/summary.ts'
import { mean } from '../../src/core/statistics.ts'
import { alignTable } from './table.ts'

/** The plans of the bake-off that may have results, in the order of the table. */
export const bakeOffPlans = [
  'syn-policies',
  'new-users',
  'find-the-genre',
  'cold-content',
  'mind-policies',
  'ml-1m-policies',
] as const

/** The policies of the table, with their labels in the plans: the first that a plan has. */
const policies: Readonly<Record<string, readonly RegExp[]>> = {
  hierarchical: [/^Hierarchical$/],
  greedy: [/^Greedy$/, /^GRU4Rec$/],
  'REN-G': [/^REN-G, all reported$/, /^REN-1,2,3$/],
  'REN-1,2': [/^REN-1,2, all reported$/, /^REN-1,2$/],
  'REN-1,3': [/^REN-1,3$/],
  'ε-greedy': [/^ε-greedy/],
  LinTS: [/^LinTS$/],
  LinUCB: [/^LinUCB$/],
  'click rate + UCB': [/^Count \+ UCB$/],
  'champion-random': [/^Champion-random$/],
}

/** Methods that are not policies: they know the rewards, or ignore them. */
const isReference = (method: string): boolean => ['Oracle', 'Random'].includes(method)

/** A plan with results. */
export interface BakeOffResults {
  readonly panels: readonly { readonly name: string; readonly title: string }[]
  /** Only of seeds that all methods have. */
  readonly rows: readonly RunRow[]
}

/** One policy in one world. */
export interface Standing {
  readonly method: string
  readonly meanReward: number
  readonly regret: number
  /** The methods with a larger reward, or a smaller regret, by more than the interval of the difference. */
  readonly behind: readonly string[]
}

/** One world. */
export interface World {
  readonly title: string
  readonly seeds: number
  readonly standings: readonly Standing[]
}

/** The methods of each panel, without those that are not policies. */
export function worldsOf({ panels, rows }: BakeOffResults): readonly World[] {
  return panels.map(({ name, title }) => {
    const inPanel = rows.filter(({ panel, method }) => panel === name && !isReference(method))
    const byMethod = Map.groupBy(inPanel, ({ method }) => method)
    const methods = [...byMethod.keys()]
    const standings = methods.map((method) => {
      const average = (measure: string): number =>
        mean(byMethod.get(method)!.map(({ measures }) => measures[measure]!))
      const others = methods.filter((other) => other !== method)
      const pairings = others.map((other) => ({
        method: other,
        against: method,
        measure: 'meanReward',
      }))
      const { comparisons } = summarize(name, inPanel, pairings)
      return {
        method,
        meanReward: average('meanReward'),
        regret: average('cumulativeRegret'),
        behind: comparisons.filter(isAhead).map((comparison) => comparison.method),
      }
    })
    return { title, seeds: new Set(inPanel.map(({ seed }) => seed)).size, standings }
  })
}

const isAhead = ({ lower }: Comparison): boolean => lower > 0

const shareOf = (standing: Standing, { standings }: World): number =>
  standing.meanReward / Math.max(...standings.map(({ meanReward }) => meanReward))

/** The labels of a policy differ between plans. */
function standingOf({ standings }: World, policy: string): Standing | undefined {
  for (const label of policies[policy]!) {
    const found = standings.find(({ method }) => label.test(method))
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * One row per world and one column per policy: its mean reward in percent of the best method's, bold if
 * no method is better by more than its interval. Then how often that is so, and the lowest percentage.
 */
export function bakeOffTable(worlds: readonly World[]): string {
  const names = Object.keys(policies)
  const rows = worlds.map((world) => [
    `${world.title} (${world.seeds})`,
    ...names.map((policy) => {
      const standing = standingOf(world, policy)
      if (standing === undefined) return '–'
      const percent = percentOf(shareOf(standing, world))
      return standing.behind.length === 0 ? `**${percent}**` : percent
    }),
  ])
  const columns = names.map((policy) =>
    worlds.flatMap((world) => {
      const standing = standingOf(world, policy)
      return standing === undefined ? [] : [{ world, standing }]
    }),
  )
  const level = columns.map((column) => {
    const best = column.filter(({ standing }) => standing.behind.length === 0)
    return `${best.length} of ${column.length}`
  })
  const lowest = columns.map((column) =>
    percentOf(Math.min(...column.map(({ world, standing }) => shareOf(standing, world)))),
  )
  return alignTable(
    [
      ['world (seeds)', ...names],
      ...rows,
      ['best, or not distinguishable from it', ...level],
      ['lowest', ...lowest],
    ],
    1,
  )
}

/** One decimal, because 97% is a bar. */
const percentOf = (share: number): string => (100 * share).toFixed(1)

/** How many worlds meet the two bars of a policy by regret, and the worlds that do not. */
export function regretBars(worlds: readonly World[], policy: string) {
  const judged = worlds.map((world) => {
    const standing = standingOf(world, policy)!
    const lowest = Math.min(...world.standings.map(({ regret }) => regret))
    return { world, standing, isNear: standing.regret <= 1.1 * lowest }
  })
  return {
    worlds: judged.length,
    /** No method is better by more than the interval. */
    unbeaten: judged.filter(({ standing }) => standing.behind.length === 0).length,
    /** The regret is within 10% of the lowest. */
    near: judged.filter(({ isNear }) => isNear).length,
    beaten: judged
      .filter(({ standing }) => standing.behind.length > 0)
      .map(({ world, standing }) => `${world.title} (${standing.behind.join(', ')})`),
    far: judged.filter(({ isNear }) => !isNear).map(({ world }) => world.title),
  }
}
