// What `ren train` did, in a few lines for people.

import type { Architecture } from '../models/index.ts'
import { count, whole } from './counts.ts'
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

export function printTraining(report: TrainingReport): void {
  const { events, recipe, interrupted } = report
  const skipped = events.skipped > 0 ? `, ${count(events.skipped, 'bad row')} skipped` : ''
  const lines = {
    read: `${count(events.rows, 'row')} of ${count(events.users, 'user')}${skipped}`,
    'held out': `${report.split} for ren evaluate, then ${report.validation.rule} to validate`,
    trained: `${report.model.model} on ${count(report.trainingRows, 'row')}, ${count(report.items, 'item')}`,
    by: `${recipe.loss} and ${recipe.optimizer}, ${count(report.steps, 'step')} in ${count(report.epochs, 'epoch')}`,
    loss: `${report.loss.toFixed(4)}, the mean of the last epoch`,
    weights: describeWeights(report),
    took: `${report.seconds.toFixed(1)} s, ${whole(report.eventsPerSecond)} events/s with validation`,
    written: interrupted ? `${report.out}, after an interruption` : report.out,
  }
  for (const [what, value] of Object.entries(lines)) console.log(`${what.padEnd(8)}  ${value}`)
}

function describeWeights({ validation, interrupted }: TrainingReport): string {
  const { recall, cutoff, targets } = validation
  if (recall === null) return `the ${interrupted ? 'current' : 'last'} weights; none were validated`
  const quality = `Recall@${cutoff} ${recall.toFixed(4)} over ${count(targets, 'target')}`
  return `the weights of the best epoch: ${quality} of validation`
}
