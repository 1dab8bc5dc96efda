import { expect, test } from 'vitest'
import { runScript } from '../../../test/run-script.ts'

/** Searches the heap of the process. */
const script = `
  import { getHeapSnapshot } from 'node:v8'
  import { SlateMemory } from './src/service/metrics/live-metrics.ts'
  const memory = new SlateMemory(10)
  const nameOf = (n) => ['some', 'body', n].join('-')
  for (const n of [1, 2]) memory.add(['slate', n].join('-'), nameOf(n), { items: ['a'] })
  memory.eraseUser(nameOf(1))
  const text = Buffer.concat(await Array.fromAsync(getHeapSnapshot())).toString()
  console.log(['somebody', 'slate'].map((name) => [1, 2].map((n) => {
    const parts = name === 'slate' ? ['slate', n] : ['some', 'body', n]
    return text.includes('"' + parts.join('-') + '"')
  })).join(' '))
  console.log(memory.find(undefined, nameOf(2)).items[0])
`

test('erasing a user removes the name and the recommendation ids from memory', async () => {
  const { nextLine, rest } = runScript(script)
  expect(await nextLine()).toBe('false,true false,true')
  expect(await rest()).toBe('a\n')
})
