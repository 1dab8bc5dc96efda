// How well recommendations rank what users choose.

import { Type } from 'typebox'

import type { GroupQuality, QualitySummary } from '../../metrics/quality.ts'
import {
  answers,
  closed,
  finite,
  flag,
  list,
  oneOf,
  orNull,
  position,
  time,
  wholeNumber,
} from './words.ts'

const quality = closed(
  { examples: wholeNumber(0), hr10: finite, ndcg10: finite, mrr: finite, coverage: finite },
  'Quality',
)
export const judged = { served: quality, model: quality, memory: quality, popularity: quality }
const judgedQuality = closed(judged, 'JudgedQuality')

const blend = closed(
  {
    weights: closed({ model: finite, memory: finite, popularity: finite, clickRate: finite }),
    /** The share of a transition that also counts in the opposite direction. */
    backward: Type.Union([0, 0.25, 0.5, 1].map((value) => Type.Literal(value))),
  },
  'Blend',
)

const serves = oneOf('blend', 'memory', 'popularity')

export const qualitySummary = answers<QualitySummary>()(
  closed(
    {
      group: Type.String(),
      serves,
      judgedOn: oneOf('live', 'held-out'),
      examples: wholeNumber(0),
      hr10: orNull(closed({ served: finite, model: finite, memory: finite, popularity: finite })),
      belowPopularity: orNull(flag),
    },
    'QualitySummary',
  ),
)

const groupQuality = answers<GroupQuality>()(
  closed(
    {
      group: Type.String(),
      serves,
      blend: orNull(blend),
      live: orNull(judgedQuality),
      belowPopularity: orNull(flag),
      heldOut: orNull(judgedQuality),
      history: list(closed({ time, position, version: wholeNumber(0), ...judged })),
    },
    'GroupQuality',
  ),
)

export const qualityReport = closed({ groups: list(groupQuality) }, 'QualityReport')
