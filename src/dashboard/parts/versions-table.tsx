// Versions of the models: when each came into service, what it was taught, what it has earned.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import type { ModelVersion } from '../../service/index.ts'
import { count, dateAndTime, figure, timeOfDay } from '../format.ts'
import { Table } from './table.tsx'

interface VersionsProps {
  /** The newest first. */
  readonly versions: readonly ModelVersion[]
  /** What can be done with one. */
  readonly action?: (version: ModelVersion) => ComponentChildren
}

const [fewRows, mostRows] = [8, 200]
const columns = [
  'Model',
  'In service since',
  'How',
  '#Loss',
  '#Held out',
  '#Slates',
  '#Reward a slate',
]
const origins = { start: 'at the start', learnt: 'learnt', 'rolled-back': 'rolled back' } as const

export function VersionsTable({ versions, action }: VersionsProps) {
  const [isLong, setLong] = useState(false)
  const most = Math.min(mostRows, versions.length)
  return (
    <>
      <Table
        label="Versions of the models, the newest first"
        columns={action ? [...columns, 'Action'] : columns}
      >
        {versions.slice(0, isLong ? mostRows : fewRows).map((version) => (
          <Row key={`${version.group} ${version.version}`} {...{ version, action }} />
        ))}
      </Table>
      {most > fewRows && (
        <button type="button" class="more" onClick={() => setLong(!isLong)}>
          Show the newest {count(isLong ? fewRows : most)} of {count(versions.length)}
        </button>
      )}
    </>
  )
}

function Row({
  version: each,
  action,
}: {
  readonly version: ModelVersion
  readonly action: VersionsProps['action']
}) {
  const { group, version, time, origin, loss, heldOut, slates, reward } = each
  return (
    <tr>
      <th scope="row" class="plain">
        {group} v{version}
      </th>
      <td>
        <time title={dateAndTime(time)}>{moment(time)}</time>
      </td>
      <td>{origins[origin]}</td>
      <td class="number">{figure(loss)}</td>
      <td class="number">
        {heldOut ? `${figure(heldOut.before)} → ${figure(heldOut.after)}` : '–'}
      </td>
      <td class="number">{count(slates)}</td>
      <td class="number">{figure(reward)}</td>
      {action && <td>{action(each)}</td>}
    </tr>
  )
}

const dayMs = 86_400_000

/** To the second, of the last day; the date, of those before. */
const moment = (time: number): string =>
  Date.now() - time < dayMs ? timeOfDay(time) : dateAndTime(time)
