// The baselines without personalization, as methods of plans.

import { flag, readSettings, type SettingsSchema } from '../../src/core/settings.ts'
import type { OtherMethod } from '../../src/experiments/contestants.ts'
import {
  betaSampling,
  clickRate,
  clickRateUcb,
  clickRateUcbSettings,
  createCounter,
  createHindsight,
  priorSettings,
} from './counters.ts'
import type { CounterPrior, CounterRule } from './counters.ts'

/** The methods by name. */
export const counters: Readonly<Record<string, OtherMethod>> = {
  'popular-in-hindsight': {
    check: (settings) => void readSettings('popular-in-hindsight', {}, settings),
    enter: (_, environment, __, seed) => ({
      environment,
      contestant: createHindsight(environment, seed),
    }),
  },
  'click-rate': counter('click-rate', clickRate, priorSettings),
  'click-rate-ucb': counter('click-rate-ucb', clickRateUcb, clickRateUcbSettings),
  'beta-ts': counter('beta-ts', betaSampling, priorSettings),
}

function counter(
  name: string,
  rule: (prior: CounterPrior) => CounterRule,
  settings: SettingsSchema,
): OtherMethod {
  const all = { ...settings, atOnce: flag('Whether it learns from each event at once', true) }
  return {
    check: (given) => void readSettings(name, all, given),
    enter: (_, environment, { atOnce = true, ...prior }, seed) => {
      const options = { itemNames: environment.itemNames, seed, rule: rule(prior) }
      return {
        environment,
        contestant: createCounter({ ...options, atOnce: atOnce === true }),
      }
    },
  }
}
