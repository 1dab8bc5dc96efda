// Model versions with their training and reward, and the current training or the last outcome.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import { day } from '../../core/time-units.ts'
import type { ModelVersion, TrainOutcome } from '../../service/index.ts'
import { useStreamEvents } from '../api/stream.ts'
import { count, counted, dateAndTime, figure, percent, timeOfDay } from '../format.ts'
import { ProgressBar } from './panel.tsx'
import { Table, type TableProps } from './table.tsx'

interface VersionsProps {
  readonly label: string
  readonly versions: readonly ModelVersion[]
  /** The actions of a version. */
  readonly action?: (version: ModelVersion) => ComponentChildren
}

const [fewRows, maxRows] = [8, 200]
const origins = {
  start: 'initial',
  'fine-tuned': 'fine-tuned',
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
        columns={action ? { ...columns, Action: action } : columns}
        rows={versions.slice(0, isLong ? maxRows : fewRows)}
        rowKey={nameOf}
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

const columns: TableProps<ModelVersion>['columns'] = {
  Model: nameOf,
  'Served since': ({ time }) => <time title={dateAndTime(time)}>{formatTime(time)}</time>,
  Origin: ({ origin }) => origins[origin],
  '#Loss': ({ loss }) => figure(loss),
  '#Held out': formatHeldOut,
  '#Live HR@10': formatLive,
  '#Slates': ({ slates }) => count(slates),
  '#Reward per slate': ({ reward }) => figure(reward),
}

/** Metrics on the held-out interactions of a full training run, or on the held-out users of an update. */
function formatHeldOut({ heldOut, quality }: ModelVersion): string {
  if (quality) return `HR@10 ${percent(quality.served.hr10)}`
  if (!heldOut) return '–'
  return `${heldOut.measure ?? 'loss'} ${figure(heldOut.before)} → ${figure(heldOut.after)}`
}

/** Metrics while the version was served, compared with popularity; details in the tooltip. */
function formatLive({ live, origin }: ModelVersion) {
  if (!live) return '–'
  const { served, model, memory, popularity } = live
  const of = ({ hr10, ndcg10, mrr, coverage }: typeof served): string =>
    `HR@10 ${percent(hr10)}, NDCG@10 ${figure(ndcg10)}, MRR ${figure(mrr)}, coverage ${percent(coverage)}`
  const all = [
    counted(served.examples, 'ranked interaction'),
    `Served: ${of(served)}`,
    `Model alone: ${origin === 'start' ? 'not trained yet' : of(model)}`,
    `Memory alone: ${of(memory)}`,
    `Popularity alone: ${of(popularity)}`,
  ]
  return (
    <span title={all.join('\n')}>
      {percent(served.hr10)} <span class="soft">(popularity {percent(popularity.hr10)})</span>
    </span>
  )
}

/** The time for the last day, otherwise the date. */
const formatTime = (time: number): string =>
  Date.now() - time < day ? timeOfDay(time) : dateAndTime(time)

export function TrainingNow() {
  const { running, last } = useTraining()
  if (running.size === 0) {
    return (
      <p class="soft training">{last ? describeOutcome(last) : 'No fine-tuning in progress.'}</p>
    )
  }
  return (
    <ul class="training" aria-label="Training">
      {Array.from(running, ([group, share]) => (
        <li key={group}>
          <span>{group}</span>
          <ProgressBar label={`Training of ${group}`} share={share} />
          <span class="number">{percent(Math.round(100 * share) / 100)}</span>
        </li>
      ))}
    </ul>
  )
}

function useTraining() {
  /** Progress by model group. */
  const [running, setRunning] = useState<ReadonlyMap<string, number>>(new Map())
  const [last, setLast] = useState<TrainOutcome | null>(null)
  const update = (group: string, share: number): void =>
    setRunning((before) => {
      const others = [...before].filter(([other]) => other !== group)
      return new Map(share < 1 ? [...others, [group, share]] : others)
    })
  useStreamEvents('training', ({ group, share, run }) => {
    // Full training runs have their own status.
    if (run === undefined) update(group, share)
  })
  useStreamEvents('learning', ({ group, outcome }) => {
    update(group, 1)
    setLast(outcome)
  })
  return { running, last }
}

export function describeOutcome(update: TrainOutcome): string {
  const { group, outcome, reason, version, loss, swapMs } = update
  if (outcome === 'nothing-new') return `${group}: no new events to train on.`
  if (outcome === 'refused') return `${group}: the update was refused because ${reason}.`
  const pause = swapMs === null ? '' : `; serving paused for ${figure(swapMs)} ms`
  return `${group} was trained: version ${version}, loss ${figure(loss)}${pause}.`
}
