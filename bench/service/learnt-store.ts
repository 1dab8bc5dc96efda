// A store whose model has learnt what its users like, and a look at whether it has.

import { startServer } from './child.ts'
import { fillStore } from './fill-store.ts'
import type { Filling } from './fill-store.ts'

const tastes = { count: 50, dimension: 32 }
const settings = { fineTuneSteps: 60, rate: 0.01 }

/** Answers the share of what is recommended then that is to the users' tastes. */
export async function fillAndLearn(path: string, filling: Filling): Promise<number> {
  await fillStore(path, { ...filling, tastes })
  const server = await startServer({ store: path, learning: true, groupCommit: true, settings })
  await server.learn()
  const users = Array.from({ length: tastes.count }, (_, user) => user)
  const shares = await Promise.all(users.map((user) => shareLiked(server.port, user)))
  await server.close()
  const share = shares.reduce((sum, one) => sum + one, 0) / shares.length
  if (share < 0.5) throw new Error(`the model has not learnt: ${share} of its slates are liked`)
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
