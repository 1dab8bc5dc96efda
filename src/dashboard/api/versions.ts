// Merges the list of model versions with versions from the stream.

import type { ModelVersion } from '../../service/index.ts'

const keyOf = ({ group, version }: ModelVersion): string => `${version} ${group}`

/** Received versions that the list does not have, for example because they arrived after it was sent. */
export function stillNew(
  received: readonly ModelVersion[],
  listed: readonly ModelVersion[],
): readonly ModelVersion[] {
  const known = new Set(listed.map(keyOf))
  return received.filter((each) => !known.has(keyOf(each)))
}

/** Newest first, each version once. */
export const newestFirst = (
  listed: readonly ModelVersion[],
  received: readonly ModelVersion[],
): readonly ModelVersion[] =>
  [...listed, ...stillNew(received, listed)].toSorted(
    (a, b) => b.time - a.time || b.version - a.version,
  )
