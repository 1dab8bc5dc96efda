// Refusals in the very words of the service, and the field of the form at which each is said.

import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'

import { createExperimentRunner } from '../../src/cli/experiment-runner.ts'
import { fieldOf, raceRequest, usualRace } from '../../src/dashboard/experiments/race-request.ts'
import type { RaceField, RaceForm } from '../../src/dashboard/experiments/race-request.ts'

const runner = createExperimentRunner({ data: tmpdir(), workers: 1 })

async function refusalOf(form: Partial<RaceForm>): Promise<string> {
  const request = raceRequest({ ...usualRace, ...form })
  // Nothing of a race that is refused is run; one that is not would be stopped at once.
  const answer = runner.start(request, () => {}, AbortSignal.abort())
  return answer.then(
    () => 'not refused',
    (error: Error) => error.message,
  )
}

describe('what the service says of a race it refuses', () => {
  it.each<[RaceField, Partial<RaceForm>]>([
    ['methods', { methods: [] }],
    ['methods', { more: 'random' }],
    ['methods', { more: 'x' }],
    ['seeds', { seeds: 'x' }],
    ['seeds', { seeds: '3..1' }],
    ['steps', { steps: '0.5' }],
    ['steps', { steps: '-1' }],
    ['steps', { steps: 'many' }],
    ['world', { world: 'x' }],
    ['world', { world: 'impressions', steps: '' }],
  ])('is said at the field %s: %o', async (field, form) => {
    const message = await refusalOf(form)
    expect([fieldOf(message), message]).toEqual([field, message])
  })
})
