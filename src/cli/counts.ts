// Numbers as people read them.

/** 1,234 */
export const whole = (n: number): string => Math.round(n).toLocaleString('en')

/** 1 row, 1,234 rows */
export const count = (n: number, noun: string): string => `${whole(n)} ${noun}${n === 1 ? '' : 's'}`
