// How long requests took: counts in buckets, each a tenth wider than the one before,
// since to keep every time would cost more than to serve it.

/** Buckets between a power of two and the next. */
const fineness = 8
/** From a microsecond to some twenty minutes. */
const octaves = 31

export type Latencies = ReturnType<typeof createLatencies>

export function createLatencies() {
  const counts = new Float64Array(octaves * fineness)
  let [count, sum, max] = [0, 0, 0]
  return {
    record(ms: number): void {
      const place = Math.ceil(Math.log2(ms * 1000) * fineness)
      const bucket = place > 0 ? Math.min(place, counts.length - 1) : 0
      counts[bucket] = counts[bucket]! + 1
      count++
      sum += ms
      if (ms > max) max = ms
    },
    get count(): number {
      return count
    },
    /** In milliseconds. */
    get sum(): number {
      return sum
    },
    get max(): number {
      return max
    },
    /** The time within which that share of the requests was served, at most a tenth too long. */
    quantile(share: number): number {
      let left = Math.ceil(share * count)
      const bucket = counts.findIndex((inBucket) => (left -= inBucket) <= 0)
      return Math.min(max, 2 ** (bucket / fineness) / 1000)
    },
    /** How many took at most 2^power microseconds. */
    within(power: number): number {
      return counts.subarray(0, power * fineness + 1).reduce((total, some) => total + some, 0)
    },
  }
}
