// The dashboard in front of a real service, for browser tests: a store in a file, two variants, a small
// shop, and users with a history.

import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, openService } from 'ren-recommender/service'
import type { ServerOptions, Service, ServiceSettings } from 'ren-recommender/service'
import { buildPage, hashOfSource } from '../../scripts/build-page.ts'
import { checkout } from '../../scripts/checkout.ts'
import { createExperimentRunner } from '../../src/cli/experiment-runner.ts'
import { createTextImporter } from '../../src/cli/text-importer.ts'

export interface DashboardSettings {
  readonly service?: Partial<ServiceSettings>
  readonly server?: ServerOptions
  /** Whether the store has items and users; defaults to true. */
  readonly shop?: boolean
  /** The folder of the store; defaults to a temporary folder that is removed with the dashboard. */
  readonly folder?: string
  /** Defaults to any free port. */
  readonly port?: number
}

export interface Dashboard {
  readonly url: string
  readonly service: Service
  close(): Promise<void>
}

const variants = [
  { name: 'ren', method: 'ren-g', settings: { dimension: 8 } },
  { name: 'greedy', method: 'gru4rec+greedy', settings: { dimension: 8 } },
]
/** Nothing is trained or saved automatically, so that tests are deterministic. */
const atRest = { everyEvents: 1_000_000, everySeconds: 86_400 }

export async function startDashboard(settings: DashboardSettings = {}): Promise<Dashboard> {
  const page = settings.server?.page ?? (await builtPage())
  const folder = settings.folder ?? mkdtempSync(join(tmpdir(), 'ren-store-'))
  const store = join(folder, 'shop.db')
  const service = await openService({
    store,
    variants,
    seed: 'dashboard',
    learning: atRest,
    snapshots: atRest,
    ...settings.service,
  })
  if (settings.shop !== false && service.items.count === 0) await fillShop(service)
  const server = await createServer(service, {
    page,
    ownsService: true,
    rateLimit: false,
    runner: createExperimentRunner(1),
    importer: createTextImporter(store),
    ...settings.server,
  })
  const url = await server.listen({ port: settings.port ?? 0 })
  return {
    url,
    service,
    async close() {
      await server.close()
      if (settings.folder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const kinds = ['lamp', 'chair', 'table', 'shelf'] as const

/** Items `lamp 1` to `shelf 6`, and users `user 1` to `user 12`, who each choose items of one kind. */
async function fillShop(service: Service): Promise<void> {
  const items = kinds.flatMap((kind) =>
    [1, 2, 3, 4, 5, 6].map((n) => ({
      item: `${kind} ${n}`,
      attributes: { kind, price: 10 * n, sale: n % 3 === 0 },
    })),
  )
  await service.items.put(items)
  for (let n = 1; n <= 12; n++) {
    const kind = kinds[n % kinds.length]!
    for (let slate = 0; slate < 3; slate++) await lookAround(service, `user ${n}`, kind)
  }
}

/** Serves one slate; the user chooses its first item of the kind, if there is one. */
export async function lookAround(service: Service, user: string, kind: string): Promise<void> {
  const { recommendationId, items } = await service.recommend({ user, count: 5 })
  const chosen = items.find(({ item }) => item.startsWith(kind))
  const event = { user, recommendationId: recommendationId! }
  const impressions = items.map(({ item }) => item)
  await service.record([chosen ? { ...event, item: chosen.item } : { ...event, impressions }])
}

/**
 * The folder of the page, named by its source, so that it is built once for all tests. Not dist/page,
 * which another process may be building or serving.
 */
export async function builtPage(): Promise<string> {
  const folder = join(checkout, 'dist', 'test-page', hashOfSource())
  if (existsSync(folder)) return folder
  const own = `${folder}.${randomUUID()}`
  await buildPage(own)
  try {
    renameSync(own, folder)
  } catch {
    // Another process was faster.
    rmSync(own, { recursive: true })
  }
  return folder
}
