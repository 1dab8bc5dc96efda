// Durations in milliseconds, the unit of all times.

export const hour = 3_600_000
export const day = 24 * hour

/** Returns the day of a time as days since 1970 (UTC), clamped to 32 bits. */
export const dayOf = (time: number): number =>
  Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, Math.floor(time / day)))
