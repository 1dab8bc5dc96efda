// Describes the progress or the outcome of a run in one line.

import type { Race } from './race.ts'

export function describeState({
  job: { state, error, progress },
  extent,
}: Pick<Race, 'extent'> & {
  readonly job: Pick<Race['job'], 'state' | 'error' | 'progress'>
}): string {
  if (error) return firstSentence(error.message)
  if (state === 'waiting') return 'Waiting'
  // The parts of a message are separated by two or more spaces.
  if (state === 'running') return progress.message.replaceAll(/ {2,}/g, ' · ') || 'Starting'
  return `${state === 'cancelled' ? 'Stopped' : 'Done'} · ${extent}`
}

/** The whole text if it is one sentence. */
export const firstSentence = (text: string): string =>
  text.split(/(?<=[.!?;])\s/)[0]!.replace(/;$/, '.')
