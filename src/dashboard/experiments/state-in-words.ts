// How far a run is, or how it ended, in one line.

import type { Race } from './race.ts'

export function stateOf({
  job: { state, error, progress },
  extent,
}: Pick<Race, 'extent'> & {
  readonly job: Pick<Race['job'], 'state' | 'error' | 'progress'>
}): string {
  if (error) return firstSentence(error.message)
  if (state === 'waiting') return 'Waits for its turn'
  // Its parts stand apart by two spaces, or more where a number is short.
  if (state === 'running') return progress.message.replaceAll(/ {2,}/g, ' · ') || 'Begins'
  return `${state === 'cancelled' ? 'Stopped' : 'Done'} · ${extent}`
}

/** All of it where it is one sentence. */
export const firstSentence = (text: string): string =>
  text.split(/(?<=[.!?;])\s/)[0]!.replace(/;$/, '.')
