// The runs of a plan: their order, what identifies them, and the checks before the first.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import { RenError } from '../../src/core/errors.ts'
import { locateFile, publishedDatasets } from '../../src/datasets/published.ts'
import type { DatasetFile, DatasetName } from '../../src/datasets/published.ts'
import { checkJobs } from '../../src/experiments/jobs.ts'
import type { PoolOptions } from '../../src/experiments/pool.ts'
import type { RunJob, RunRow } from '../../src/experiments/protocol.ts'
import { findProtocol, standardRegistry } from '../../src/experiments/registry.ts'
import { parseSeeds } from '../../src/experiments/seeds.ts'
import { mindFile } from '../worlds/read-mind.ts'
import type { Plan } from './plan-schema.ts'
import { runsIn } from './plan.ts'

export interface RunOptions extends PoolOptions {
  /** The folder of datasets. */
  readonly data: string
  /** The folder of results, with one folder per plan. */
  readonly out: string
}

/** The runs of a plan, after a check of its protocol, settings and data. */
export async function prepareJobs(
  plan: Plan,
  { data, registry = standardRegistry }: RunOptions,
): Promise<readonly RunJob[]> {
  const jobs = jobsOf(plan, data)
  await checkJobs(await findProtocol(registry, plan.protocol), jobs)
  requireData(plan, data)
  return jobs
}

/** Throws if data is missing in the folder; the error says where to get it. */
export function requireData({ data = [] }: Plan, folder: string): void {
  for (const name of data) locateDataset(name, folder)
}

/** Returns the path of a dataset's file at or under a location. A missing file is an error. */
export function locateDataset(name: DatasetName | 'mind', location: string): string {
  const file: DatasetFile = name === 'mind' ? mindFile : publishedDatasets[name]
  const { path, hint } = locateFile(file, location)
  if (existsSync(path)) return path
  throw new RenError('dataset-missing', `${path} must be a file, got none. ${hint}`)
}

/** The registry of a folder of plans: its protocols.ts or .js, otherwise that of the package. */
export function registryOf(plans: string): string {
  const own = ['protocols.ts', 'protocols.js'].map((name) => resolve(plans, name)).find(existsSync)
  return own === undefined ? standardRegistry : pathToFileURL(own).href
}

/** Panel by panel, method by method, seed by seed. */
export function jobsOf(plan: Plan, data?: string): readonly RunJob[] {
  const seeds = parseSeeds(plan.seeds)
  return plan.panels.flatMap(({ name: panel, world, methods: own = {} }) =>
    plan.methods
      .filter((method) => runsIn(method, panel))
      .flatMap(({ name: label, method, settings = {} }) =>
        seeds.map((seed) => ({
          protocol: plan.protocol,
          panel,
          label,
          method,
          settings: { ...settings, ...own[label] },
          world,
          seed,
          ...(data !== undefined && { data }),
        })),
      ),
  )
}

/** Rows in the order of `jobsOf`, with ascending seeds. */
export function inPlanOrder(plan: Plan, rows: readonly RunRow[]): readonly RunRow[] {
  const panels = plan.panels.map(({ name }) => name)
  const methods = plan.methods.map(({ name }) => name)
  return rows.toSorted(
    (a, b) =>
      panels.indexOf(a.panel) - panels.indexOf(b.panel) ||
      methods.indexOf(a.method) - methods.indexOf(b.method) ||
      a.seed - b.seed,
  )
}

/** The seeds for which all runs of the plan have rows, in ascending order. */
export function completeSeeds(plan: Plan, rows: readonly RunRow[]): readonly number[] {
  const runs = new Map<number, number>()
  for (const { seed } of rows) runs.set(seed, (runs.get(seed) ?? 0) + 1)
  const needed = jobsOf({ ...plan, seeds: [0] }).length
  return [...runs.keys()].filter((seed) => runs.get(seed) === needed).toSorted((a, b) => a - b)
}

/** Identifies a run within its plan; equal for a run and its row. */
export const keyOfRow = ({ panel, method, seed }: Pick<RunRow, 'panel' | 'method' | 'seed'>) =>
  JSON.stringify([panel, method, seed])

export const keyOfJob = ({ panel, label, seed }: RunJob) => keyOfRow({ panel, method: label, seed })

/** Everything that determines a row, except the folder of datasets. */
export const contentOf = ({ protocol, method, settings, world, seed }: RunJob): string =>
  canonicalJson({ protocol, method, settings, world, seed })

/** JSON with sorted keys. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/** Whether a plan has every run of another one under the same name, so that rows of that one fit it. */
export function includesRuns(plan: Plan, other: Plan): boolean {
  const contents = runContents(plan)
  return runContents(other)
    .entries()
    .every(([run, content]) => contents.get(run) === content)
}

/** The runs of a plan with one seed. */
const runContents = (plan: Plan): ReadonlyMap<string, string> =>
  new Map(jobsOf({ ...plan, seeds: [0] }).map((job) => [keyOfJob(job), contentOf(job)]))
