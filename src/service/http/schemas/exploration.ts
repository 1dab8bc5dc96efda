// How a request says what is to be explored. It is checked for its form alone: which settings a policy
// has, and how far they go, the service knows, and says in words; documents show it here.

import { Type } from 'typebox'
import type { TSchema } from 'typebox'

import { policyNames, policySettingNames } from '../../../exploration/index.ts'
import type { PolicyName } from '../../../exploration/index.ts'
import { largestWeight, maxOfSetting } from '../../request-limits.ts'
import { closed, finite, flag, name, oneOf, shownAs, wholeNumber, within } from './words.ts'

const checked = Type.Union(
  [
    closed({ weight: finite, exploratoryShare: Type.Optional(finite) }),
    closed({ diversityWeight: finite, uncertaintyWeight: finite }),
    closed({
      policy: name,
      settings: Type.Optional(
        Type.Record(name, Type.Union([name, finite, flag]), { description: 'settings by name' }),
      ),
    }),
  ],
  {
    description:
      '{ weight, exploratoryShare } or { diversityWeight, uncertaintyWeight } of numbers, or { policy, settings }, the settings of texts, numbers, true or false',
  },
)

const weight = within(0, largestWeight)
const share = within(0, 1)
const settingSchemas: Readonly<Record<string, TSchema>> = {
  slate: oneOf('top', 'sequential'),
  epsilon: share,
  delta: share,
  explorationWeight: share,
  historyCap: wholeNumber(1, largestWeight),
  horizon: wholeNumber(1, largestWeight),
  exploratorySlots: wholeNumber(0, largestWeight),
  exploratoryShare: share,
  headSeed: wholeNumber(0, largestWeight),
  unitPairs: wholeNumber(1, maxOfSetting['unitPairs']),
  steps: wholeNumber(0, maxOfSetting['steps']),
  propensityDraws: wholeNumber(0, maxOfSetting['propensityDraws']),
}

function choiceOf(policy: PolicyName): TSchema {
  const settings = policySettingNames[policy].map((setting) => {
    return [setting, Type.Optional(settingSchemas[setting] ?? weight)] as const
  })
  return closed({
    policy: oneOf(policy),
    settings: Type.Optional(closed(Object.fromEntries(settings))),
  })
}

export const exploration = shownAs(
  checked,
  Type.Union([
    closed({ weight: share, exploratoryShare: Type.Optional(share) }),
    closed({ diversityWeight: weight, uncertaintyWeight: weight }),
    ...policyNames.map(choiceOf),
  ]),
)
