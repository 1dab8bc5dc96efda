// Model versions: when each was first served, its training, and its reward.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import type { ModelVersion } from '../../service/index.ts'
import { count, counted, dateAndTime, figure, percent, timeOfDay } from '../format.ts'
import { Table } from './table.tsx'

interface VersionsProps {
  readonly label: string
  readonly versions: readonly ModelVersion[]
  /** The actions of a version. */
  readonly action?: (version: ModelVersion) => ComponentChildren
}

const [fewRows, maxRows] = [8, 200]
const columns = [
  'Model',
  'Served since',
  'How',
  '#Loss',
  '#Held out',
  '#Live HR@10',
  '#Slates',
  '#Reward per slate',
]
const origins = {
  start: 'at the start',
  learnt: 'fine-tuned',
  trained: 'full training',
  imported: 'imported',
  'rolled-back': 'rolled back',
} as const

export function VersionsTable({ label, versions, action }: VersionsProps) {
  const [isLong, setLong] = useState(false)
  const shown = Math.min(maxRows, versions.length)
  return (
    <>
      <Table
        label={label}
        columns={action ? [...columns, 'Action'] : columns}
        rows={versions.slice(0, isLong ? maxRows : fewRows).map((version) => ({
          key: nameOf(version),
          cells: [...cellsOf(version), ...(action ? [action(version)] : [])],
        }))}
      />
      {shown > fewRows && (
        <button type="button" class="more" onClick={() => setLong(!isLong)}>
          Show the newest {count(isLong ? fewRows : shown)} of {count(versions.length)}
        </button>
      )}
    </>
  )
}

const nameOf = ({ group, version }: ModelVersion): string => `${group} v${version}`

function cellsOf(of: ModelVersion): readonly ComponentChildren[] {
  const { time, origin, loss, slates, reward } = of
  return [
    nameOf(of),
    <time title={dateAndTime(time)}>{moment(time)}</time>,
    origins[origin],
    figure(loss),
    heldOutText(of),
    liveCell(of),
    count(slates),
    figure(reward),
  ]
}

/** Metrics on the held-out interactions of a full training run, or on the held-out users of an update. */
function heldOutText({ heldOut, quality }: ModelVersion): string {
  if (quality) return `HR@10 ${percent(quality.served.hr10)}`
  if (!heldOut) return '–'
  return `${heldOut.measure ?? 'loss'} ${figure(heldOut.before)} → ${figure(heldOut.after)}`
}

/** Metrics while the version was served, compared with popularity; details in the tooltip. */
function liveCell({ live }: ModelVersion): ComponentChildren {
  if (!live) return '–'
  const { served, model, memory, popularity } = live
  const of = ({ hr10, ndcg10, mrr, coverage }: typeof served): string =>
    `HR@10 ${percent(hr10)}, NDCG@10 ${figure(ndcg10)}, MRR ${figure(mrr)}, coverage ${percent(coverage)}`
  const all = [
    counted(served.examples, 'judged interaction'),
    `Served: ${of(served)}`,
    `Model alone: ${of(model)}`,
    `Memory alone: ${of(memory)}`,
    `Popularity alone: ${of(popularity)}`,
  ]
  return (
    <span title={all.join('\n')}>
      {percent(served.hr10)} <span class="soft">(popularity {percent(popularity.hr10)})</span>
    </span>
  )
}

const dayMs = 86_400_000

/** The time for the last day, otherwise the date. */
const moment = (time: number): string =>
  Date.now() - time < dayMs ? timeOfDay(time) : dateAndTime(time)
