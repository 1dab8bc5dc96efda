import { describe, expect, it } from 'vitest'
import { drawChart } from './terminal-chart.ts'

const linesOf = (text: string) => text.split('\n')

describe('a chart in characters', () => {
  it('rises from left to right with its values', () => {
    const lines = linesOf(
      drawChart([{ label: 'up', values: [0, 1, 2, 3] }], 40, { columns: 4, rows: 4 }),
    )
    expect(lines.slice(0, 4).map((line) => line.slice(8))).toEqual(['   ●', '  ●', ' ●', '●'])
    expect(lines[0]).toMatch(/^ +3\.00 │/)
    expect(lines[3]).toMatch(/^ +0\.00 │/)
    expect(lines.at(-2)).toMatch(/40 steps$/)
    expect(lines.at(-1)?.trim()).toBe('● up')
  })

  it('leaves room for what is still to come', () => {
    const [line] = linesOf(
      drawChart([{ label: 'half', values: [1, 1] }], 4, {
        columns: 8,
        rows: 2,
        points: 4,
        range: [0, 1],
      }),
    )
    expect(line!.slice(8)).toBe('●●●●')
  })

  it('has a reference line under its curves, and values beyond the range at its edge', () => {
    const lines = linesOf(
      drawChart([{ label: 'a', values: [9] }], 1, {
        columns: 3,
        rows: 3,
        range: [0, 1],
        reference: { label: 'best', value: 0.5 },
      }),
    )
    expect(lines[0]!.slice(8)).toBe('●●●')
    expect(lines[1]!.slice(8)).toBe('┄┄┄')
    expect(lines.at(-1)).toContain('┄ best')
  })

  it('draws a constant curve', () => {
    expect(drawChart([{ label: 'a', values: [2, 2] }], 2, { columns: 2, rows: 2 })).toContain('●●')
  })
})
