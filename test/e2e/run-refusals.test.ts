// Errors of the service for refused runs, and the field of the form at which the page shows each.

import { describe, expect, it } from 'vitest'

import { createExperimentRunner } from '../../src/cli/experiment-runner.ts'
import { RenError } from '../../src/core/errors.ts'
import { fieldOf, runRequest, defaultRun } from '../../src/dashboard/experiments/run-request.ts'
import type { RunField, RunForm } from '../../src/dashboard/experiments/run-request.ts'

const runner = createExperimentRunner(1)

async function refusalOf(form: Partial<RunForm>): Promise<RenError> {
  const request = runRequest({ ...defaultRun, ...form })
  // A refused run runs nothing; one that is accepted by mistake would stop at once.
  const answer = runner.start(request, () => {}, AbortSignal.abort())
  const error = await answer.then(
    () => null,
    (refused: unknown) => refused,
  )
  if (error instanceof RenError) return error
  throw new Error('expected a refusal')
}

describe('the error of a refused run', () => {
  it.each<[RunField, Partial<RunForm>]>([
    ['methods', { methods: [] }],
    ['methods', { more: 'random' }],
    ['methods', { more: 'x' }],
    ['seeds', { seeds: 'x' }],
    ['seeds', { seeds: '3..1' }],
    ['steps', { steps: '0.5' }],
    ['steps', { steps: '-1' }],
    ['steps', { steps: 'many' }],
    ['steps', { world: 'find-the-genre', steps: '0' }],
    ['world', { world: 'x' }],
    ['world', { world: 'log', steps: '' }],
  ])('names the field %s: %o', async (field, form) => {
    const { path, message } = await refusalOf(form)
    expect([fieldOf(path), message]).toEqual([field, message])
  })
})
