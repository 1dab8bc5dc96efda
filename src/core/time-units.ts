// Lengths of time, in milliseconds as all times are.

export const hour = 3_600_000
