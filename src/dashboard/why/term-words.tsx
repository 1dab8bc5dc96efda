// The legend of the bars: the meaning of each term.

import { figure } from '../format.ts'
import { Panel } from '../parts/panel.tsx'
import { termNames } from './terms.ts'
import type { Weights } from './terms.ts'

const words = {
  relevance:
    'how well the item suits this user now: model, transition memory, popularity and click rate together.',
  diversity:
    'how uncertain this user’s taste is in the direction of the item; falls as they choose similar items.',
  uncertainty:
    'how little is known about the item for all users; 1 until it is shown, and falls with every impression.',
} as const

interface TermWordsProps {
  /** The weights of each slate, by its name. */
  readonly slates: readonly { readonly name: string; readonly weights: Weights | null }[]
}

export function TermWords({ slates }: TermWordsProps) {
  return (
    <Panel title="Terms of the score">
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
        Score = relevance + λd · diversity + λu · uncertainty, all on one scale. The vertical mark
        is the score; negative terms are to the left of 0.
      </p>
    </Panel>
  )
}

const weightText = (name: string, weight: number | undefined): string =>
  weight === undefined ? '' : ` × ${figure(weight)}${name === '' ? '' : ` in ${name}`}`
