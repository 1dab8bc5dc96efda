// The part of a kernel's work that one call does.

/**
 * Returns the end of a range. Calls without a range pass no end, which arrives as 0 and means all.
 */
export function endOf(end: usize, count: usize): usize {
  return end == 0 ? count : end
}
