// The rate of events per second, from recent positions.

export interface Sample {
  /** Milliseconds since 1970. */
  readonly time: number
  readonly position: number
}

const spanMs = 10_000

/** If the clock or the log goes back, earlier samples are discarded. */
export function addSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1)
  if (last && (sample.time <= last.time || sample.position < last.position)) return [sample]
  return [...samples.filter(({ time }) => time >= sample.time - spanMs), sample]
}

/** Null until there are two samples. */
export function eventRate(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || first === last) return null
  return (1000 * (last.position - first.position)) / (last.time - first.time)
}
