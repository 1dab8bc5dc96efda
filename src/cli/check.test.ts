import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkout, run } from '../../scripts/checkout.ts'
import { runRen } from '../../test/run-ren.ts'
import { createEngine, type Engine } from '../kernels/index.ts'
import { compareKernels } from './kernel-agreement.ts'

const compared = ['multiply', 'gruForward', 'attentionForward', 'crossEntropyRows']

describe('ren check', () => {
  it('reports as text that the kernels agree', async () => {
    const { code, stdout } = await runRen(['check'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^kernels {4}(relaxed-simd|simd128|reference), /)
    expect(stdout).toContain('agreement  agrees with the plain-TypeScript reference')
    for (const kernel of compared) {
      expect(stdout).toMatch(
        new RegExp(String.raw`^ +${kernel} +agrees, largest difference \d`, 'm'),
      )
    }
    expect(stdout).toMatch(/^speed {6}[\d.]+ GFLOP\/s on one thread/m)
  })

  it('reports the same as JSON', async () => {
    const { code, stdout } = await runRen(['check', '--json'])
    const report = JSON.parse(stdout) as Record<string, unknown>
    expect(code).toBe(0)
    expect(report).toMatchObject({
      agrees: true,
      kernels: compared.map((kernel) => ({ kernel, agrees: true })),
    })
    expect(report['gigaflops']).toBeGreaterThan(0)
    expect(report['timesReference']).toBeGreaterThan(0)
  })

  it.each(['', '--json'])('fails if a kernel is wrong (check %s)', (option) => {
    const at = (path: string): string => JSON.stringify(pathToFileURL(join(checkout, path)).href)
    const script = `
      import { Command } from 'commander'
      import { addCheck } from ${at('src/cli/check.ts')}
      import { createEngine } from ${at('src/kernels/index.ts')}
      const program = new Command()
      addCheck(program, async () => {
        const engine = await createEngine()
        return { ...engine, trusted: { ...engine.trusted, gruForward: () => 0 } }
      })
      await program.parseAsync(['check', ${JSON.stringify(option)}].filter(Boolean), { from: 'user' })
      console.log('ended with ' + process.exitCode)
      process.exitCode = 0`
    const output = run('node', ['--input-type=module', '--eval', script])
    expect(output).toContain('ended with 1')
    expect(output).toMatch(
      option === ''
        ? /agreement {2}DISAGREES[^]*gruForward +DISAGREES/
        : /"agrees":false[^]*"kernel":"gruForward",[^}]*"agrees":false/,
    )
  })
})

describe('the comparison of kernels', () => {
  let engine: Engine
  let reference: Engine
  beforeAll(async () => {
    engine = await createEngine({ kernel: 'simd128' })
    reference = await createEngine({ kernel: 'reference' })
  })
  const verdicts = (other: Engine) =>
    compareKernels(other, reference).map(({ kernel, agrees }) => [kernel, agrees])

  it('finds the one kernel that is slightly wrong', () => {
    const { multiply } = engine.trusted
    const trusted: Engine['trusted'] = {
      ...engine.trusted,
      multiply(args) {
        const result = multiply(args)
        args.out.values[7]! += 0.01
        return result
      },
    }
    expect(verdicts({ ...engine, trusted })).toEqual(
      compared.map((kernel) => [kernel, kernel !== 'multiply']),
    )
  })

  it('treats NaN as a disagreement', () => {
    const trusted: Engine['trusted'] = {
      ...engine.trusted,
      attentionForward({ out }) {
        out.values.fill(Number.NaN)
        return 0
      },
    }
    expect(verdicts({ ...engine, trusted })).toContainEqual(['attentionForward', false])
  })
})
