// Renames plans, settings, panels and methods of the paper, in paper/plans and in the committed
// results, and rewrites phrases of titles and notes. Numbers and seeds do not change. Running the
// script again changes nothing.
// Draw the results again afterwards:
//
//     node scripts/rename-results.ts && npx oxfmt paper/plans
//     npm run ren -- reproduce PLAN ... && node scripts/write-paper.ts

import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { checkout } from './checkout.ts'

/** Keys of settings in plans. */
const keys: Readonly<Record<string, string>> = {
  optimiser: 'optimizer',
  madeUsers: 'generatedUsers',
  madeMovies: 'generatedMovies',
  madeRatings: 'generatedRatings',
  leastRatings: 'minRatings',
  takes: 'clicks',
  taken: 'copied',
}

/** Names of plans, data, worlds, panels and methods. */
const names: Readonly<Record<string, string>> = {
  'netflix-made': 'netflix-generated',
  'trivago-made': 'trivago-generated',
  made: 'generated',
  'matrix-factorisation': 'matrix-factorization',
  'matrix-factorisation+ren': 'matrix-factorization+ren',
  'matrix-factorisation+lin-ts': 'matrix-factorization+lin-ts',
  'click rate, told at once': 'click rate, immediate feedback',
}

/** Phrases of titles, labels and notes. */
const phrases: Readonly<Record<string, string>> = {
  'netflix-made': 'netflix-generated',
  'told: item taken': 'feedback: chosen item',
  'told: all shown': 'feedback: full slate',
  'told: selected': 'feedback: chosen item',
  'told: shown': 'feedback: full slate',
  'told: clicks': 'feedback: clicks',
  'told: the reward of the item taken': 'feedback: the reward of the chosen item',
  'told: the rewards of all shown': 'feedback: the rewards of the full slate',
  'Told: the reward of the item taken': 'Feedback: the reward of the chosen item',
  'Told: the rewards of all shown': 'Feedback: the rewards of the full slate',
  'told of the item taken': 'feedback on the chosen item',
  'told of all shown': 'feedback on the full slate',
  'Reward of the item taken': 'Reward of the chosen item',
  'reward of the item taken': 'reward of the chosen item',
  'of their worth; the algorithms are told T': 'of their mean; the algorithms know T',
  "Trivago's procedure on made data of its size":
    "Trivago's procedure on generated data of its size",
  'Made data in the format of Trivago, not Trivago itself: these figures say that the procedure runs, not how REN does on hotels.':
    'Generated data in the format of Trivago, not Trivago itself: these figures show that the procedure runs, not how well REN recommends hotels.',
  'Netflix in size: slates of 100 of 8,000': 'Netflix at its size: slates of 100 of 8,000 films',
  'made data, not the Netflix Prize: what it shows is that all of it works, and how long a slate takes':
    'Generated data, not the Netflix Prize: it shows that the procedure runs, and how long a slate takes.',
  'Made data, not the Netflix Prize: what it shows is that all of it works, and how long a slate takes':
    'Generated data, not the Netflix Prize: it shows that the procedure runs, and how long a slate takes',
  'Made data: ': 'Generated data: ',
  'made ratings': 'generated ratings',
  'made data': 'generated data',
  'milliseconds a slate': 'milliseconds per slate',
  'ten films a round': 'ten films per round',
  'a model each': 'one model per seed',
  'MovieLens 1M in the place of Netflix': 'MovieLens 1M instead of Netflix',
  '3,020 users to learn from, 400 others to test': '3,020 users to train on, 400 others to test',
  'learnt in any order': 'trained in any order',
  'learnt in order of time': 'trained in order of time',
  'only hits left out': 'hits excluded',
  'nothing left out': 'nothing excluded',
  'Slates: what the weights of REN change': 'Slates: effect of the weights of REN',
  'True histories: what users took, whatever was shown; films of it are not shown, others may be shown again, or nothing twice.':
    'True histories: the films that users rated, shown or not; those films are excluded, and others may be shown again or only once.',
  'who found more before has less left, so all rounds count':
    'a method that finds more early has less left to find, so compare all rounds',
  'true, none twice': 'true, each film once',
  'Ablation: which of the two bonuses does the work': 'Ablation: which of the two bonuses helps',
  'regret beside the bound': 'regret and the bound',
  'by λ beside GRU4Rec': 'by λ, and GRU4Rec',
  'rewards 0 or 1 by chance': 'rewards of 0 or 1 at random',
}

function renamePlan(path: string): void {
  const plan = rename(JSON.parse(readFileSync(path, 'utf8')))
  writeFileSync(path, `${JSON.stringify(plan, null, 2)}\n`)
}

function renameResults(folder: string): void {
  const manifestPath = join(folder, 'manifest.json')
  const old: unknown = JSON.parse(readFileSync(manifestPath, 'utf8'))
  writeFileSync(manifestPath, `${JSON.stringify(rename(old), null, 2)}\n`)
  const rowsPath = join(folder, 'rows.ndjson')
  writeFileSync(rowsPath, readFileSync(rowsPath, 'utf8').replaceAll(rowName, renameInRow))
}

/** Replaces only the two names of a row, so that its numbers keep their digits. */
const rowName = /"(panel|method)":"([^"]*)"/g
const renameInRow = (_: string, key: string, name: string): string =>
  `"${key}":"${names[name] ?? name}"`

function rename(value: unknown): unknown {
  if (typeof value === 'string') return names[value] ?? rewrite(value)
  if (Array.isArray(value)) return value.map(rename)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([key, inner]) => [keys[key] ?? key, rename(inner)]))
}

/** Longer phrases first, because some contain others. */
const ordered = Object.entries(phrases).toSorted(([a], [b]) => b.length - a.length)
const rewrite = (text: string): string =>
  ordered.reduce((done, [phrase, use]) => done.replaceAll(phrase, use), text)

const paper = join(checkout, 'paper')
const moveIfThere = (from: string, to: string): void => {
  if (existsSync(join(paper, from))) renameSync(join(paper, from), join(paper, to))
}
for (const [old, name] of Object.entries(names)) {
  moveIfThere(`plans/${old}.json`, `plans/${name}.json`)
  moveIfThere(`results/${old}`, `results/${name}`)
}
for (const file of readdirSync(join(paper, 'plans')).filter((name) => name.endsWith('.json'))) {
  renamePlan(join(paper, 'plans', file))
}
for (const plan of readdirSync(join(paper, 'results'))) renameResults(join(paper, 'results', plan))
