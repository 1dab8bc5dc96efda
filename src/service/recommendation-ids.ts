// Names of recommendations: in the order in which they were served, and not to be guessed.

import { randomBytes } from 'node:crypto'

/** 80 bits of chance. */
const randomLength = 10
/** Chance is cheap by the block. */
const blockLength = 512 * randomLength

const inOrder = (value: number, digits: number): string => value.toString(36).padStart(digits, '0')

/** The next id at a time in milliseconds, which may go backwards: the order of ids does not. */
export function createRecommendationIds(): (time: number) => string {
  let [block, used] = [Buffer.alloc(0), 0]
  let [last, count] = [0, 0]
  return (time) => {
    const now = Math.max(last, Math.floor(time))
    count = now === last ? count + 1 : 0
    last = now
    if (used === block.length) [block, used] = [randomBytes(blockLength), 0]
    const random = block.toString('hex', used, (used += randomLength))
    return `${inOrder(now, 9)}${inOrder(count, 5)}${random}`
  }
}
