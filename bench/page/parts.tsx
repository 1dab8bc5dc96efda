// Parts of the dashboard by themselves, for page.bench.ts to drive: a chart and a map of as many
// points as are asked for.

import { render } from 'preact'

import { createRandom } from '../../src/core/random.ts'
import { coloringOf } from '../../src/dashboard/map/coloring.ts'
import { MapCanvas } from '../../src/dashboard/map/map-canvas.tsx'
import { Chart } from '../../src/dashboard/parts/chart/chart.tsx'
import '../../src/dashboard/map/map.css'
import '../../src/dashboard/theme.css'
import '../../src/dashboard/parts.css'

const place = document.querySelector('#place')!
const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))

/** Draws a walk of so many points, other ones at each call; resolves when it is on the screen. */
async function drawChart(count: number, seed: number): Promise<void> {
  const random = createRandom(seed)
  let at = 0
  const values = Array.from({ length: count }, () => (at += random.normal()))
  const x = values.map((_, i) => i)
  const chart = (
    <Chart
      description="A walk"
      x={x}
      lines={[{ label: 'walk', values }]}
      xLabel="step"
      yLabel="place"
      height={340}
    />
  )
  // Chromium does not count as scripting what the debugger itself evaluates.
  requestAnimationFrame(() => render(chart, place))
  await frame()
  await frame()
}

async function drawMap(count: number): Promise<void> {
  const random = createRandom('map')
  const draw = (): Float32Array => Float32Array.from({ length: count }, () => random.normal())
  const impressions = Array.from({ length: count }, () => random.integer(1000))
  const uncertainty = impressions.map((shown) => 1 / Math.sqrt(Math.max(1, shown)))
  const coloring = coloringOf('uncertainty', { impressions, uncertainty, category: null }, '')
  const points = { x: draw(), y: draw() }
  render(
    <div style={{ width: '1200px' }}>
      <MapCanvas
        description="Points."
        {...{ points, coloring }}
        marks={[]}
        describe={(index) => <b>{index}</b>}
      />
    </div>,
    place,
  )
  await frame()
  await frame()
}

let pointer = 0
addEventListener('pointerdown', ({ pointerId }) => (pointer = pointerId))

/** Moves the pointer in circles, a place a frame; the button has to be down already. */
async function drag(left: number, top: number, frames: number): Promise<void> {
  const target = document.querySelector('.map-frame')!
  for (let i = 1; i <= frames; i++) {
    await frame()
    const turn = (i / 30) * 2 * Math.PI
    target.dispatchEvent(
      new PointerEvent('pointermove', {
        pointerId: pointer,
        clientX: left + 200 * Math.sin(turn),
        clientY: top + 150 * (1 - Math.cos(turn)),
      }),
    )
  }
  await frame()
}

export interface PageParts {
  drawChart: typeof drawChart
  drawMap: typeof drawMap
  drag: typeof drag
}

const parts: PageParts = { drawChart, drawMap, drag }
Object.assign(globalThis, { parts })
