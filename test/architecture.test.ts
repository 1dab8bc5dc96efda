// Checks the source against the import table. The first half tests the checker itself, because a checker
// that finds nothing would always pass.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkout, filesOf } from '../scripts/checkout.ts'
import { importsOf, rules, violations } from './architecture.ts'

describe('the checker', () => {
  it.each([
    ['core/a.ts', `import { x } from '../kernels/index.ts'`],
    ['core/a.ts', `import type { X } from '../kernels/index.ts'`],
    ['core/a.test.ts', `import { x } from '../kernels/index.ts'`],
    ['models/a.ts', `export * from '../exploration/policies.ts'`],
    ['models/a.ts', `import {\n  x,\n  y,\n} from '../exploration/policies.ts'`],
    ['exploration/deep/a.ts', `await import('../../models/gru4rec.ts')`],
    ['kernels/a.ts', `new Worker(new URL('../node/worker.ts', import.meta.url))`],
    ['kernels/a.ts', 'new Worker(new URL(`../node/worker.${extension}`, import.meta.url))'],
    ['kernels/a.ts', `import '../index.ts'`],
    ['core/a.ts', `import { readFileSync } from 'node:fs'`],
    ['core/a.ts', `import { Command } from 'commander'`],
    ['core/a.ts', `import { x } from '../../test/world.ts'`],
    ['core/a.ts', `import { x } from 'ren-recommender/kernels'`],
    ['cli/a.ts', `import pg from 'pg'`],
    ['cli/a.ts', `import '../dashboard/page.ts'`],
    ['service/a.ts', `import x from '@fastify/unknown'`],
    ['dashboard/a.tsx', `import { openService } from '../service/index.ts'`],
    ['dashboard/a.tsx', `import { type Service } from '../service/index.ts'`],
    ['dashboard/a.tsx', `import type { EventStore } from '../storage/index.ts'`],
    ['kernels/assembly/a.ts', `import { x } from '../contract.ts'`],
    ['kernels/a.ts', `import { x } from './assembly/index.ts'`],
    ['utils/a.ts', ``],
    ['cli/a.ts', `const { x } = await import('../../paper/experiments/a.ts')`],
    ['cli/a.ts', `import type { X } from '../../paper/experiments/a.ts'`],
    ['cli/a.test.ts', `import { x } from '../../paper/experiments/a.ts'`],
    ['experiments/a.ts', `import * as Plot from '@observablehq/plot'`],
    ['../paper/a.ts', `import { x } from '../src/service/index.ts'`],
    ['../paper/a.ts', `import { x } from '../test/world.ts'`],
    ['../paper/deep/a.ts', `import { Command } from 'commander'`],
    ['core/a.ts', `const x = Math.random()`],
    ['core/a.ts', `const x = Math['random']()`],
    ['core/a.ts', `const { random, floor } = Math`],
    ['core/a.ts', `const chance = Math`],
    ['core/a.ts', `const x = Date.now()`],
    ['core/a.ts', `const x = globalThis.Date.now()`],
    ['core/a.ts', `const x = globalThis['crypto']`],
    ['core/a.ts', `const x = new Date()`],
    ['core/a.ts', `const x = \`\${new Date().getTime()}\``],
    ['kernels/a.ts', `const x = performance.now()`],
    ['kernels/a.ts', `const { now } = performance`],
    ['kernels/a.ts', `const page = await fetch(address)`],
    ['kernels/a.ts', `const fs = require('fs')`],
    ['core/a.ts', `import { a } from './a.ts'; import { x } from '../kernels/index.ts'`],
    ['core/a.ts', `import './a.ts'; import 'node:fs'`],
    ['simulation/a.ts', `if (process.argv.length > 2) run()`],
    ['simulation/a.ts', `const x = typeof globalThis.process`],
    ['simulation/a.ts', `const x = Buffer.from('a')`],
    ['simulation/a.ts', `crypto.getRandomValues(x)`],
    ['simulation/a.ts', `await import(name)`],
  ])('refuses, in %s, %s', (path, source) => {
    expect(violations(path, source)).toHaveLength(1)
  })

  it.each([
    ['kernels/a.ts', `import { RenError } from '../core/errors.ts'`],
    ['kernels/reference/a.ts', `import { x } from '../contract.ts'`],
    ['kernels/assembly/a.ts', `import { x } from './vector'`],
    ['core/a.test.ts', `import { it } from 'vitest'\nconst x = Math.random()`],
    ['core/a.test.ts', `import { x } from '../../test/world.ts'`],
    ['kernels/a.test.ts', `import { x } from '../node/spawn-kernel-worker.ts'`],
    ['core/a.ts', `// Math.random() and Date.now() are not allowed here\n/* process.exit() */`],
    ['core/a.ts', `throw new Error('use no Math.random, nor a new Date()')`],
    ['core/a.ts', `/** Imports nothing from 'node:fs'. */`],
    [
      'kernels/a.ts',
      `new WebAssembly.Memory({ shared: true }); Atomics.wait(new SharedArrayBuffer(8))`,
    ],
    ['core/a.ts', `const preprocess = event.process`],
    ['core/a.ts', `const x = Math.floor(Math . max(1, 2))`],
    ['core/a.ts', `requireCount(source.fetch(1)); const { performance: speed } = model`],
    ['storage/a.ts', `import pg from 'pg'\nimport { join } from 'node:path'\nDate.now()`],
    ['../paper/a.ts', `import * as Plot from '@observablehq/plot/deep'`],
    ['../paper/deep/a.ts', `import { x } from '../../src/experiments/a.ts'\nprocess.exit()`],
    ['../paper/deep/a.ts', `import { x } from '../regret/a.ts'`],
    ['../paper/a.test.ts', `import { x } from '../test/world.ts'`],
    ['cli/main.ts', `#!/usr/bin/env node\nimport { Command } from 'commander'\nprocess.exit()`],
    ['index.ts', `export { RenError } from './core/errors.ts'`],
    ['dashboard/a.tsx', `import type { Service } from '../service/index.ts'`],
  ])('allows, in %s, %s', (path, source) => {
    expect(violations(path, source)).toEqual([])
  })

  it('finds every form of import', () => {
    const source = `import a from 'a'
import 'b'
import type { C } from "c"
import * as d from 'd'
export { e } from 'e'
export * from 'f'
const g = await import('g')
type H = import('h').H
const i = new URL('./i.ts', import.meta.url)
const no = 'from'`
    expect(importsOf(source).toSorted()).toEqual(['./i.ts', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
  })
})

describe('the source', () => {
  it.each([
    ['src', ''],
    ['paper', '../paper/'],
  ])('of %s follows the import table', (root, prefix) => {
    const files = filesOf(root, '**/*.{ts,tsx}')
    expect(files.length).toBeGreaterThan(0)
    const found = files.flatMap((path) =>
      violations(`${prefix}${path}`, readFileSync(join(checkout, root, path), 'utf8')),
    )
    expect(found).toEqual([])
  })

  it('has an import table without cycles', () => {
    const reach = (folder: string, seen: readonly string[]): readonly string[] => {
      expect(seen).not.toContain(folder)
      return rules[folder]!.imports.flatMap((next) => reach(next, [...seen, folder]))
    }
    for (const folder of Object.keys(rules)) reach(folder, [])
  })

  it('combines models and exploration only in the recommender and the folders above it', () => {
    const both = Object.entries(rules)
      .filter(([, { imports }]) => imports.includes('models') && imports.includes('exploration'))
      .map(([folder]) => folder)
    expect(both).toEqual(['index.ts', 'recommender', 'experiments', 'cli', 'paper'])
  })
})
