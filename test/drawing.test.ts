// The committed figure equals the output of its script, and shows what its text says.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkout } from '../scripts/checkout.ts'
import {
  createItems,
  createScenes,
  decisionOf,
  drawExploration,
  picture,
  weights,
} from '../scripts/draw-exploration.ts'
import type { Scene } from '../scripts/draw-exploration.ts'
import { createRenPolicy } from '../src/exploration/index.ts'
import { createEngine } from '../src/kernels/index.ts'
import type { Engine } from '../src/kernels/index.ts'

describe('docs/images/exploration.svg', () => {
  let engine: Engine
  let scenes: readonly Scene[]
  beforeAll(async () => {
    engine = await createEngine()
    scenes = createScenes(engine)
  })

  it('equals the output of scripts/draw-exploration.ts on all kernels', async () => {
    const committed = readFileSync(join(checkout, picture), 'utf8')
    expect(drawExploration(scenes)).toBe(committed)
    const reference = await createEngine({ kernel: 'reference' })
    expect(drawExploration(createScenes(reference))).toBe(committed)
  })

  it('shows REN agree with greedy, then explore, then agree again', () => {
    expect(scenes.map(({ ranking, greedy }) => ranking[0]!.item === greedy)).toEqual([
      true,
      false,
      true,
    ])
  })

  it('shows the next pick of a sequential slate in its last plane', () => {
    const [, second, third] = scenes
    const policy = createRenPolicy(engine, { weights, slate: 'sequential' })
    const slate = policy.choose(decisionOf(createItems(engine), second!.visited), 2)
    const shown = [second!, third!].map(({ ranking }) => ranking[0])
    expect(slate.items).toEqual(shown)
  })
})
