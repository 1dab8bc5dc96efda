// Front door of the data set readers.

export { readCsv, readDelimited } from './delimited-log.ts'
export type { LogLayout } from './delimited-log.ts'
export { readJsonLines } from './json-lines-log.ts'
export { publishedDatasets, readDataset } from './published.ts'
export type { DatasetName } from './published.ts'
export type { ReadOptions, ReadResult, TimeUnit } from './read-log.ts'
export { leaveOneOut, splitByPeriod, splitByTime, timeAtFraction } from './splits.ts'
export type { LeaveOneOut, Split, SplitOptions, TestSet } from './splits.ts'
