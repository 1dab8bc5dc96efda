// Lists of versions, put together from what the service lists and what its stream tells.

import type { ModelVersion } from '../../service/index.ts'

const keyOf = ({ group, version }: ModelVersion): string => `${version} ${group}`

/** What was told and is not in the list, such as what came while the list was on its way. */
export function stillNew(
  told: readonly ModelVersion[],
  listed: readonly ModelVersion[],
): readonly ModelVersion[] {
  const known = new Set(listed.map(keyOf))
  return told.filter((each) => !known.has(keyOf(each)))
}

/** The newest first, each once. */
export const newestFirst = (
  listed: readonly ModelVersion[],
  told: readonly ModelVersion[],
): readonly ModelVersion[] =>
  [...listed, ...stillNew(told, listed)].toSorted(
    (a, b) => b.time - a.time || b.version - a.version,
  )
