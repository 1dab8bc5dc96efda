// A world of simulated users that somebody runs against the service, as the page shows it. Whoever
// starts the server hands it in; the service itself knows nothing of simulation.

export interface Demo {
  readonly state: 'running' | 'paused' | 'over'
  /** The world in words. */
  readonly world: string
  /** How many rounds each variant is to play. */
  readonly rounds: number
  readonly variants: readonly DemoVariant[]
}

/** One policy in one copy of the world. */
export interface DemoVariant {
  readonly variant: string
  /** In words of its own, such as REN; variants of one policy differ in the seed alone. */
  readonly policy: string
  readonly seed: number
  /** After which rounds the curves have a point. */
  readonly at: readonly number[]
  /** The mean reward of the last rounds. */
  readonly reward: readonly number[]
  /** What the best choices would have earned beyond what was earned, since the first round. */
  readonly regret: readonly number[]
}

export interface DemoControl {
  describe(): Demo
  set(state: 'running' | 'paused'): void
}
