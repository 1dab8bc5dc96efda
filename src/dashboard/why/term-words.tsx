// What the terms of a score mean, in a line each: the legend of the bars.

import { figure } from '../format.ts'
import { Panel } from '../parts/panel.tsx'
import { termNames } from './terms.ts'
import type { Weights } from './terms.ts'

const words = {
  relevance:
    'how well the item suits this user now: the model, the memory of what follows what, popularity and click rate together.',
  diversity:
    'how open this user’s taste still is in the direction of the item: less, the more of its kind they took.',
  uncertainty:
    'how little is known of the item itself, whoever asks: 1 until it is shown, less with every impression.',
} as const

interface TermWordsProps {
  /** Of each slate that is shown, by its name. */
  readonly slates: readonly { readonly name: string; readonly weights: Weights | null }[]
}

export function TermWords({ slates }: TermWordsProps) {
  return (
    <Panel title="What adds up to the score">
      <dl class="why-words">
        {termNames.map((term) => (
          <div key={term}>
            <dt>
              <i class={term} aria-hidden="true" />
              {term}
              <span class="soft">
                {slates.map(({ name, weights }) => weightText(name, weights?.[term])).join(',')}
              </span>
            </dt>
            <dd class="soft">{words[term]}</dd>
          </div>
        ))}
      </dl>
      <p class="soft why-note">
        Score = relevance + λd · diversity + λu · uncertainty, all on one scale. The upright mark is
        the score; what counts against an item stands to the left of 0.
      </p>
    </Panel>
  )
}

const weightText = (name: string, weight: number | undefined): string =>
  weight === undefined ? '' : ` × ${figure(weight)}${name === '' ? '' : ` in ${name}`}`
