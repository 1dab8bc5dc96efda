// A store whose model is trained on the tastes of its users, with a check of the result.

import { startServer } from './child.ts'
import { fillStore } from './fill-store.ts'
import type { Filling } from './fill-store.ts'

const tastes = { count: 50, dimension: 32 }
const settings = { fineTuneSteps: 60, rate: 0.01 }

/** Returns the share of recommended items that match the users' tastes after training. */
export async function fillAndLearn(path: string, filling: Filling): Promise<number> {
  await fillStore(path, { ...filling, tastes })
  const server = await startServer({ store: path, learning: true, groupCommit: true, settings })
  await server.learn()
  const users = Array.from({ length: tastes.count }, (_, user) => user)
  const shares = await Promise.all(users.map((user) => shareLiked(server.port, user)))
  await server.close()
  const share = shares.reduce((sum, one) => sum + one, 0) / shares.length
  if (share < 0.5) throw new Error(`the model is not trained: ${share} of its slates are liked`)
  return share
}

async function shareLiked(port: number, user: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/recommendations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: `user-${user}`, count: 10, record: false }),
  })
  const { items } = (await response.json()) as { readonly items: readonly { item: string }[] }
  const liked = items.filter(({ item }) => {
    const taste = Number(item.slice('item-'.length)) % tastes.count
    return taste === user % tastes.count
  })
  return liked.length / items.length
}
