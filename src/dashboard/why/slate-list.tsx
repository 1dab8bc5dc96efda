// A slate, best first, with the terms of each score and the changes of rank.

import { Fragment } from 'preact'
import { useState } from 'preact/hooks'

import { api } from '../api/client.ts'
import { useFetch } from '../api/use-fetch.ts'
import { count, digitsFor, fixed } from '../format.ts'
import { formatAttributes, ItemLink, ItemName, separator } from '../parts/items.tsx'
import { Loaded, Facts } from '../parts/panel.tsx'
import type { Bounds } from '../parts/chart/plot.ts'
import { Because, formatParts, partNames, PartsBar } from '../parts/relevance-parts.tsx'
import type { Move } from './moves.ts'
import { partsOf, segmentsOf, termNames } from './terms.ts'
import type { Parts, SlateItem, Weights } from './terms.ts'

export interface SlateListProps {
  readonly items: readonly SlateItem[]
  readonly label: string
  /** Null if the score is not a sum of the terms. */
  readonly weights: Weights | null
  readonly scale: Bounds
  /** One for each item. */
  readonly marks: readonly Mark[]
  /** The item under the pointer, in any slate. */
  readonly pointed: string | null
  onPoint(item: string | null): void
}

interface Mark {
  readonly text: string
  /** The text for screen readers, if different. */
  readonly spoken?: string
  readonly isNotable: boolean
}

export function SlateList({ items, label, pointed, onPoint, marks, ...rest }: SlateListProps) {
  const [open, setOpen] = useState<string | null>(null)
  return (
    <ol class="why-slate" aria-label={label} onPointerLeave={() => onPoint(null)}>
      {items.map((item, i) => (
        <li
          key={item.item}
          data-item={item.item}
          class={item.item === pointed ? 'pointed' : ''}
          onPointerEnter={() => onPoint(item.item)}
        >
          <Row
            {...rest}
            item={item}
            rank={i + 1}
            mark={marks[i]!}
            isOpen={open === item.item}
            onToggle={() => setOpen(open === item.item ? null : item.item)}
          />
        </li>
      ))}
    </ol>
  )
}

interface RowProps extends Pick<SlateListProps, 'weights' | 'scale'> {
  readonly item: SlateItem
  readonly rank: number
  readonly mark: Mark
  readonly isOpen: boolean
  onToggle(): void
}

function Row({ item, rank, mark, weights, scale, isOpen, onToggle }: RowProps) {
  const parts = weights && partsOf(item, weights)
  const digits = digitsFor(scale)
  return (
    <>
      <div class="why-head">
        <span class="why-rank soft">{rank}</span>
        <button type="button" class="why-item" aria-expanded={isOpen} onClick={onToggle}>
          <ItemName item={item.item} />
        </button>
        <span class={`why-mark ${mark.isNotable ? 'notable' : ''}`}>
          <span {...(mark.spoken !== undefined && { 'aria-hidden': true })}>{mark.text}</span>
          {mark.spoken !== undefined && <span class="unseen">{mark.spoken}</span>}
        </span>
        {parts && <TermSum parts={parts} score={item.score} digits={digits} />}
      </div>
      {parts ? <TermBar parts={parts} score={item.score} scale={scale} /> : <Plain item={item} />}
      {isOpen && <ItemFacts item={item} />}
    </>
  )
}

/** For scores that are not a weighted sum of the terms. */
function Plain({ item }: { readonly item: SlateItem }) {
  const { score, relevance, diversity, uncertainty } = item
  return (
    <p class="why-sum">
      score {fixed(score)}; before any weight: relevance {fixed(relevance)}, diversity{' '}
      {fixed(diversity)}, uncertainty {fixed(uncertainty)}
    </p>
  )
}

export function moveMark(move: Move): Mark {
  if (move === null) return { text: 'new', isNotable: true }
  if (move === 0) return { text: '', isNotable: false }
  const [arrow, way] = move > 0 ? ['▲', 'up'] : ['▼', 'down']
  const by = Math.abs(move)
  return { text: `${arrow} ${by}`, spoken: `${way} by ${by}`, isNotable: false }
}

/** The rank of an item in the other slate. */
export function otherMark(item: string, other: readonly string[], name: string): Mark {
  const place = other.indexOf(item)
  return place < 0
    ? { text: 'only here', isNotable: true }
    : { text: `${place + 1} in ${name}`, spoken: `place ${place + 1} in ${name}`, isNotable: false }
}

type TermProps = Readonly<{ parts: Parts; score: number }>

function TermBar({ parts, score, scale: [low, high] }: TermProps & { readonly scale: Bounds }) {
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

const TermSum = ({ parts, score, digits }: TermProps & { readonly digits: number }) => (
  <p class="why-sum">
    {termNames
      .filter((term) => parts[term] !== undefined)
      .map((term, i) => (
        <Fragment key={term}>
          {i > 0 && <span aria-hidden="true">+</span>}
          <span class="why-term" data-term={term}>
            <i class={term} aria-hidden="true" />
            <span class="unseen">{term}</span> {fixed(parts[term]!, digits)}
          </span>
        </Fragment>
      ))}
    <span aria-hidden="true">=</span>
    <span data-term="score">
      <span class="unseen">score</span> {fixed(score, digits)}
    </span>
  </p>
)

const similarLimit = 5

function ItemFacts({ item: { item, parts, because } }: { readonly item: SlateItem }) {
  const fetched = useFetch(
    (signal) => Promise.all([api.item(item, signal), api.similar(item, signal)]),
    [item],
  )
  return (
    <div class="why-details">
      {parts && (
        <div class="why-parts">
          <span class="soft">Relevance: </span>
          {formatParts({ parts, names: partNames })} <Because because={because} />
          <PartsBar {...{ parts }} names={partNames} />
        </div>
      )}
      <Loaded fetched={fetched} what="the item">
        {([{ attributes, impressions, interactions }, { items }]) => (
          <>
            <Facts
              of={{
                ...formatAttributes(attributes),
                shown: `${count(impressions)} times`,
                chosen: `${count(interactions)} times`,
              }}
            />
            <p>
              <span class="soft">Similar: </span>
              {items.length === 0 && 'none'}
              {items.slice(0, similarLimit).map((like, i) => (
                <span key={like.item}>
                  {i > 0 && separator}
                  <ItemLink item={like.item} /> ({fixed(like.similarity, 2)})
                </span>
              ))}
            </p>
          </>
        )}
      </Loaded>
    </div>
  )
}
