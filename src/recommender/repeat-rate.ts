// Whether users choose items again: what judges rank, what a training run is validated on and what
// `excludeSeen: auto` leaves out all depend on it, and decide alike.

/**
 * The share of repeats, among interactions that could be repeats, below which users hardly ever choose
 * an item again. MovieLens has 0, MIND 0.04 %, Diginetica (within sessions) 16 %.
 */
const maxRepeatRate = 0.05

/** @param interactions Those that could have been repeats. */
export const areRepeatsRare = (repeats: number, interactions: number): boolean =>
  repeats < maxRepeatRate * interactions
