// Whether the data sets that a plan needs are there.

import { datasetFiles, locateDataset, publishedDatasets } from '../datasets/index.ts'
import type { DatasetFileName, DatasetName } from '../datasets/index.ts'
import type { Plan } from './plan-schema.ts'

export type PlanData = DatasetName | DatasetFileName

/** What a plan can need. */
export const dataNames = Object.keys({ ...publishedDatasets, ...datasetFiles }) as PlanData[]

/** Refuses with what is not in the folder and where to get it. */
export function requireData({ data = [] }: Plan, folder: string): void {
  for (const name of data) locateDataset(name, folder)
}
