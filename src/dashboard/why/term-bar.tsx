// The terms of an item's score, as a bar and as numbers.

import { Fragment } from 'preact'

import { fixed } from '../format.ts'
import { segmentsOf, termNames } from './terms.ts'
import type { TermName } from './terms.ts'

export type Scale = readonly [low: number, high: number]

interface TermBarProps {
  readonly parts: Readonly<Record<TermName, number>>
  readonly score: number
  readonly scale: Scale
}

export function TermBar({ parts, score, scale: [low, high] }: TermBarProps) {
  const at = (value: number): string => `${(100 * (value - low)) / (high - low)}%`
  return (
    <div class="why-bar" aria-hidden="true">
      {segmentsOf(parts).map(({ term, from, to }) => (
        <span
          key={term}
          class={term}
          style={{ left: at(from), width: `${(100 * (to - from)) / (high - low)}%` }}
        />
      ))}
      {low < 0 && <i class="why-zero" style={{ left: at(0) }} />}
      <i class="why-score-mark" style={{ left: at(score) }} />
    </div>
  )
}

interface SumProps {
  readonly parts: Readonly<Record<TermName, number>>
  readonly score: number
  readonly digits: number
}

export function TermSum({ parts, score, digits }: SumProps) {
  return (
    <p class="why-sum">
      {termNames.map((term, i) => (
        <Fragment key={term}>
          {i > 0 && <span aria-hidden="true">+</span>}
          <span class="why-term" data-term={term}>
            <i class={term} aria-hidden="true" />
            <span class="unseen">{term}</span> {fixed(parts[term], digits)}
          </span>
        </Fragment>
      ))}
      <span aria-hidden="true">=</span>
      <span data-term="score">
        <span class="unseen">score</span> {fixed(score, digits)}
      </span>
    </p>
  )
}
