// Latency by route.

import type { Status } from '../../service/index.ts'
import { count, figure } from '../format.ts'
import { Panel } from '../parts/panel.tsx'
import { Empty } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'

const columns = ['Route', '#Requests', '#p50', '#p95', '#p99', '#Maximum']

export function LatencyPanel({ latencies }: Pick<Status, 'latencies'>) {
  const busiest = latencies.toSorted((a, b) => b.requests - a.requests)
  return (
    <Panel
      title="Latency by route"
      aside={<span class="soft small">milliseconds, since the start</span>}
    >
      {busiest.length === 0 ? (
        <Empty>No requests yet.</Empty>
      ) : (
        <div class="latencies">
          <Table
            label="Latency in milliseconds"
            {...{ columns }}
            rows={busiest.map(({ route, requests, p50, p95, p99, max }) => ({
              key: route,
              cells: [
                <code>{route}</code>,
                count(requests),
                ...[p50, p95, p99, max].map((ms) => figure(ms)),
              ],
            }))}
          />
        </div>
      )}
    </Panel>
  )
}
