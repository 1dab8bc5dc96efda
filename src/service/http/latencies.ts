// A histogram of latencies. Each bucket is a tenth wider than the previous one.

/** Buckets per power of two. */
const fineness = 8
/** Powers of two from a microsecond to about 20 minutes. */
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
    /** The sum in milliseconds. */
    get sum(): number {
      return sum
    },
    get max(): number {
      return max
    },
    /** The latency that a share of the requests did not exceed, at most a tenth too high. */
    quantile(share: number): number {
      let left = Math.ceil(share * count)
      const bucket = counts.findIndex((inBucket) => (left -= inBucket) <= 0)
      return Math.min(max, 2 ** (bucket / fineness) / 1000)
    },
    /** The number of requests that took at most 2^power microseconds. */
    within(power: number): number {
      return counts.subarray(0, power * fineness + 1).reduce((total, some) => total + some, 0)
    },
  }
}
