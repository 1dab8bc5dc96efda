// A slate, best first, with the terms of each score and the changes of rank.

import { useRef, useState } from 'preact/hooks'

import { digitsFor, fixed } from '../format.ts'
import { ItemName } from '../parts/item-name.tsx'
import { ItemFacts } from './item-facts.tsx'
import type { Move } from './moves.ts'
import { TermBar, TermSum } from './term-bar.tsx'
import type { Scale } from './term-bar.tsx'
import { partsOf } from './terms.ts'
import type { SlateItem, Weights } from './terms.ts'
import { useMotion } from './use-motion.ts'

interface SlateListProps {
  readonly items: readonly SlateItem[]
  readonly label: string
  /** Null if the score is not a sum of the terms. */
  readonly weights: Weights | null
  readonly scale: Scale
  /** One for each item. */
  readonly marks: readonly Mark[]
  /** The item under the pointer, in any slate. */
  readonly pointed: string | null
  onPoint(item: string | null): void
}

export interface Mark {
  readonly text: string
  /** The text for screen readers, if different. */
  readonly spoken?: string
  readonly isNotable: boolean
}

export function SlateList({ items, label, pointed, onPoint, marks, ...rest }: SlateListProps) {
  const list = useRef<HTMLOListElement>(null)
  const [open, setOpen] = useState<string | null>(null)
  useMotion(list)
  return (
    <ol class="why-slate" aria-label={label} ref={list} onPointerLeave={() => onPoint(null)}>
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
function Plain({
  item: { score, relevance, diversity, uncertainty },
}: {
  readonly item: SlateItem
}) {
  return (
    <p class="why-sum">
      score {fixed(score)}; before any weight: relevance {fixed(relevance)}, diversity{' '}
      {fixed(diversity)}, uncertainty {fixed(uncertainty)}
    </p>
  )
}

export function moveMark(move: Move): Mark {
  if (move.kind === 'stays') return { text: '', isNotable: false }
  if (move.kind === 'new') return { text: 'new', isNotable: true }
  const arrow = move.kind === 'up' ? '▲' : '▼'
  return { text: `${arrow} ${move.by}`, spoken: `${move.kind} by ${move.by}`, isNotable: false }
}

/** The rank of an item in the other slate. */
export function otherMark(item: string, other: readonly string[], name: string): Mark {
  const place = other.indexOf(item)
  return place < 0
    ? { text: 'only here', isNotable: true }
    : { text: `${place + 1} in ${name}`, spoken: `place ${place + 1} in ${name}`, isNotable: false }
}
