import { describe, expect, it } from 'vitest'
import { runRenHere } from '../../test/run-here.ts'
import { runRen } from '../../test/run-ren.ts'

const usual = ['race', '--steps', '20', '--seeds', '1', '--methods', 'random,oracle']
const race = (...more: string[]) => runRenHere([...usual, ...more])

describe('ren race', () => {
  it('names the methods and the seeds, whatever their number, and draws every curve', async () => {
    const { code, stdout } = await runRen([...usual, '--methods', 'random,gru4rec,oracle'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^random, gru4rec and oracle in syn-s: .*\bmean of 1 run\.$/m)
    for (const mark of ['●', '○', '▲']) expect(stdout).toContain(mark)
  })

  it('has an axis that reaches down to the lowest curve', async () => {
    const { stdout } = await race('--methods', 'random', '--seeds', '5', '--steps', '10')
    const [lowest] = stdout.match(/[\d.]+ │(?=[^\n]*\n +└)/)!
    expect(Number.parseFloat(lowest)).toBeLessThan(0.5)
  })

  it('refuses a world that it cannot draw', async () => {
    const { code, stderr } = await race('--world', 'ml-1m')
    expect(code).toBe(1)
    expect(stderr).toContain('Expected syn-s, syn-m or syn-l.')
  })

  it('prints one JSON document', async () => {
    const { stdout } = await race('--json')
    const { seeds, methods } = JSON.parse(stdout) as { seeds: number[]; methods: object[] }
    expect(seeds).toEqual([1])
    expect(methods).toMatchObject([{ method: 'random' }, { method: 'oracle' }])
  })

  it('refuses seeds that are none, and says which option it is about', async () => {
    const { code, stderr } = await race('--seeds', 'x')
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/--seeds <range>.*expected whole numbers such as 200\.\.219/)
  })
})
