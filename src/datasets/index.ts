// Readers of logs and catalogs, and dataset splits: the entry point `ren-recommender/datasets`.

export { readItemCsv, readItemLines, readMovieLensItems } from './items.ts'
export type { AttributedItem, ItemsResult } from './items.ts'
export {
  detectItemFormat,
  detectLogFormat,
  itemFormats,
  publishedDatasets,
  readDataset,
} from './published.ts'
export type { DatasetFile, DatasetName, ItemFormat } from './published.ts'
export { readCsv, readDelimited, readJsonLines } from './read-log.ts'
export type { LogLayout, ReadResult, TimeUnit } from './read-log.ts'
export type { ReadOptions } from './read-rows.ts'
export { leaveOneOut, splitByPeriod, splitByTime, timeAtFraction } from './splits.ts'
export type { LeaveOneOut, Split, TestSet } from './splits.ts'
