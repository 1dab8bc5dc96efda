// Single parts of the dashboard that page.bench.ts drives: a chart and a map with a given number of points.

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

/** Draws a random walk; resolves when it is on the screen. */
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
  // Chromium does not count code that the debugger evaluates as scripting.
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

/** Moves the mouse in circles, one place per frame; its button must be pressed already. */
async function drag(left: number, top: number, frames: number): Promise<void> {
  for (let i = 1; i <= frames; i++) {
    await frame()
    const turn = (i / 30) * 2 * Math.PI
    dispatchEvent(
      new MouseEvent('mousemove', {
        view: window,
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
