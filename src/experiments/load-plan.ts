// Plans on disk: one JSON file each, found by name, by group, or all of them.

import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'

import { RenError } from '../core/errors.ts'
import { parsePlan } from './plan.ts'
import type { Plan } from './plan-schema.ts'

/** All plans of a folder, sorted by their names. */
export function loadPlans(folder: string): readonly Plan[] {
  return filesIn(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => loadPlan(join(folder, file)))
}

function loadPlan(path: string): Plan {
  const plan = parsePlan(parseJson(readFileSync(path, 'utf8'), path), path)
  const expected = basename(path, '.json')
  if (plan.name === expected) return plan
  const message = `${path}: name: expected that of the file, ${expected}, got ${plan.name}`
  throw new RenError('plan-invalid', message)
}

/** Those that are called, or belong to a group that is called, one of the names; `all` is all. */
export function choosePlans(plans: readonly Plan[], names: readonly string[]): readonly Plan[] {
  if (names.includes('all')) return plans
  const answersTo = (plan: Plan, name: string): boolean => [plan.name, plan.group].includes(name)
  const stray = names.find((name) => !plans.some((plan) => answersTo(plan, name)))
  if (stray !== undefined) {
    const known = new Set(plans.map(({ name, group = name }) => group))
    throw new RenError(
      'invalid-argument',
      `expected experiments out of ${[...known].join(', ')}, or all; got ${stray}`,
    )
  }
  return plans.filter((plan) => names.some((name) => answersTo(plan, name)))
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (cause) {
    throw new RenError('file-missing', `expected a folder of plans at ${folder} (--plans)`, {
      cause,
    })
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new RenError('plan-invalid', `${path}: expected JSON; ${String(cause)}`, { cause })
  }
}
