// Packs the package, installs the tarball into an empty folder, and uses it from there.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkout, filesOf, run } from '../scripts/checkout.ts'
import { pack } from '../scripts/pack.ts'
import { builtPage } from './e2e/dashboard.ts'

type Manifest = Readonly<Record<string, unknown>> & {
  readonly version: string
  readonly exports: Readonly<Record<string, unknown>>
}

const patience = 180_000

describe('the published package', () => {
  const consumer = mkdtempSync(join(tmpdir(), 'ren-consumer-'))
  const installed = join(consumer, 'node_modules', 'ren-recommender')
  let manifest: Manifest
  let modules: string[]

  beforeAll(async () => {
    write('package.json', '{ "type": "module" }')
    const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
    const packed = await pack({ check: false, page: await builtPage() })
    run('npm', ['install', packed, ...flags], consumer)
    manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Manifest
    modules = Object.keys(manifest.exports)
      .filter((subpath) => !subpath.endsWith('.json'))
      .map((subpath) => subpath.replace('.', 'ren-recommender'))
  }, patience)

  afterAll(() => rmSync(consumer, { recursive: true }))

  const write = (file: string, text: string): void => writeFileSync(join(consumer, file), text)

  it('contains JavaScript and types, but no tests and no other sources', () => {
    const files = filesOf(installed)
    const wanted = [
      'README.md',
      'LICENSE',
      'lib/index.js',
      'docs/http-api.md',
      'deploy/ren.service',
    ]
    expect(files).toEqual(expect.arrayContaining(wanted))
    const unexpected = files.filter(
      (file) =>
        !/^(README\.md|LICENSE|CHANGELOG\.md|package\.json|(docs|deploy)\/.*|lib\/.*\.(js|d\.ts)|dist\/page\/.*)$/.test(
          file,
        ),
    )
    expect(unexpected).toEqual([])
    expect(files.filter((file) => /\.test\.|\/assembly\//.test(file))).toEqual([])
  })

  it('is not published by npm publish in a checkout', () => {
    const publish = (): string => run('npm', ['publish', '--dry-run'])
    expect(publish).toThrow('npm run pack -- --publish publishes the built package')
  })

  it('runs nothing on installation and does not install Node', () => {
    const { scripts, optionalDependencies, devDependencies, overrides, gypfile } = manifest
    expect({ scripts, optionalDependencies, devDependencies, overrides, gypfile }).toEqual({})
    expect(manifest).not.toHaveProperty('private')
  })

  it(
    'can be imported by every path it exports',
    () => {
      expect(modules.length).toBeGreaterThan(1)
      for (const name of modules) {
        const code = `const m = await import('${name}'); console.log(Object.keys(m).length)`
        write('import.js', code)
        expect(Number(run('node', ['import.js'], consumer)), name).toBeGreaterThan(0)
      }
    },
    patience,
  )

  it('finds the script of its kernel threads', () => {
    write('threads.js', useOfThreads)
    expect(run('node', ['threads.js'], consumer)).toBe('2 threads: 6\n')
  })

  it('has the command ren', () => {
    const ren = join(consumer, 'node_modules', '.bin', 'ren')
    expect(run(ren, ['--version'], consumer).trim()).toBe(manifest.version)
  })

  it('leaves the experiments of the paper to a checkout, and says so', () => {
    const ren = join(consumer, 'node_modules', '.bin', 'ren')
    const reason = /run it from a checkout of the repository.*\(unsupported-platform\)/
    expect(() => run(ren, ['reproduce', 'syn-s'], consumer)).toThrow(reason)
  })

  it(
    'brings types that hold for a strict consumer',
    () => {
      const imports = modules.map((name, i) => `import * as m${i} from '${name}'`)
      const uses = modules.map((_, i) => `console.log(m${i})`)
      write('tsconfig.json', JSON.stringify(consumerConfig))
      write('consumer.ts', [...imports, ...uses, useOfTypes].join('\n'))
      expect(run('tsc', ['-p', consumer], consumer)).toBe('')
    },
    patience,
  )
})

const consumerConfig = {
  compilerOptions: {
    strict: true,
    module: 'nodenext',
    lib: ['esnext', 'dom'],
    noEmit: true,
    typeRoots: [join(checkout, 'node_modules', '@types')],
    types: ['node'],
  },
  include: ['consumer.ts'],
}

const useOfThreads = `
import { createEngine } from 'ren-recommender/kernels'
import { spawnKernelWorker } from 'ren-recommender/node'
const engine = await createEngine({ threads: 2, spawnWorker: spawnKernelWorker })
const [a, b, out] = ['a', 'b', 'out'].map((name) => engine.matrix(name, 1, 1))
a.values.set([2])
b.values.set([3])
engine.operations.multiply({ a, b, out })
console.log(engine.threads + ' threads: ' + out.values[0])
engine.close()
`

// The expected error shows that types exist, because `any` would allow the call.
const useOfTypes = `
import { createRandom, type ErrorCode, type Random } from 'ren-recommender'
const random: Random = createRandom(1)
const value: number = random.uniform()
const code: ErrorCode = 'invalid-argument'
// @ts-expect-error no such method
random.roll()
console.log(value, code)
`
