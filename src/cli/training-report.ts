// What `ren train` did, in a few lines for people.

import type { Architecture } from '../models/index.ts'
import type { Outcome } from './interruptible.ts'
import type { Recipe } from './recipe.ts'

export interface TrainingReport extends Omit<Outcome, 'validation'> {
  readonly events: {
    readonly file: string
    readonly rows: number
    readonly users: number
    readonly skipped: number
  }
  readonly split: string
  readonly trainingRows: number
  readonly items: number
  readonly model: Architecture['description']
  readonly recipe: Recipe
  readonly seed: string
  readonly validation: {
    readonly rule: string
    readonly targets: number
    readonly cutoff: number
    /** Of the weights that were kept; null where nothing was validated. */
    readonly recall: number | null
  }
  readonly seconds: number
  readonly out: string
}

const whole = (n: number): string => Math.round(n).toLocaleString('en')

export function printTraining(report: TrainingReport): void {
  const { events, recipe, interrupted } = report
  const skipped = events.skipped > 0 ? `, ${whole(events.skipped)} bad rows skipped` : ''
  const lines = {
    read: `${whole(events.rows)} rows of ${whole(events.users)} users${skipped}`,
    'held out': `${report.split} for ren evaluate, then ${report.validation.rule} to validate`,
    trained: `${report.model.model} on ${whole(report.trainingRows)} rows, ${whole(report.items)} items`,
    by: `${recipe.loss} and ${recipe.optimiser}, ${whole(report.steps)} steps, epochs ${report.epochs}`,
    loss: `${report.loss.toFixed(4)}, the mean of the last epoch`,
    kept: keptWeights(report),
    took: `${report.seconds.toFixed(1)} s, ${whole(report.eventsPerSecond)} events/s with validation`,
    written: interrupted ? `${report.out}, after an interruption` : report.out,
  }
  for (const [what, value] of Object.entries(lines)) console.log(`${what.padEnd(8)}  ${value}`)
}

function keptWeights({ validation, interrupted }: TrainingReport): string {
  const { recall, cutoff, targets } = validation
  if (recall === null) return `the ${interrupted ? 'current' : 'last'} weights; none were validated`
  const quality = `Recall@${cutoff} ${recall.toFixed(4)} over ${whole(targets)} targets`
  return `the weights of the best epoch: ${quality} of validation`
}
