// Lengths of time, in milliseconds as all times are.

export const hour = 3_600_000
export const day = 24 * hour

/** The day of a time, in days since 1970 (UTC), within 32 bits. */
export const dayOf = (time: number): number =>
  Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, Math.floor(time / day)))
