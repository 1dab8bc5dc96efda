// Downloads of the curves: CSV, SVG and PNG. The image is the drawing of the page with a title, a legend and the
// command of the run, in the colors of the theme.

import { render } from 'preact'

import { resolveColor } from '../palette.ts'
import { colorsOf, Drawing, frameOf } from '../parts/chart/drawing.tsx'
import { Button } from '../parts/panel.tsx'
import { linesOf, measures, type Curve, type Measure } from './curves.ts'
import { commandOf, type Run } from './run.ts'

interface DownloadsProps {
  readonly curves: readonly Curve[]
  readonly measure: Measure
  readonly runs: readonly Run[]
}

export function Downloads(props: DownloadsProps) {
  const { curves, measure, runs } = props
  const name = `${worldsOf(runs).join('-')}-${measure}`
  const kinds = {
    csv: () => new Blob([csvOf(curves, measure)], { type: 'text/csv' }),
    svg: () => new Blob([svgOf(props)], { type: 'image/svg+xml' }),
    png: () => pngOf(svgOf(props)),
  } as const
  return (
    <div class="row" role="group" aria-label="Download the curves">
      <span class="soft">Download</span>
      {Object.entries(kinds).map(([kind, make]) => (
        <Button
          key={kind}
          class="small"
          label={kind.toUpperCase()}
          disabled={curves.length === 0}
          onClick={async () => saveFile(`${name}.${kind}`, await make())}
        />
      ))}
    </div>
  )
}

const worldsOf = (runs: readonly Run[]): string[] => [...new Set(runs.map(({ world }) => world))]

function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  Object.assign(link, { href: url, download: name })
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

const header = 'run,world,method,measure,step,mean,standard_error,seeds'

/** One row per point. */
export function csvOf(curves: readonly Curve[], measure: Measure): string {
  const rows = curves.flatMap(({ run, method, at, means, errors, seeds }) =>
    at.map((step, i) =>
      [run.job.id, run.world, method, measure, step, means[i]!, errors[i]!, seeds]
        .map(field)
        .join(','),
    ),
  )
  return [header, ...rows, ''].join('\r\n')
}

/** Quoted if necessary (RFC 4180). */
function field(value: string | number): string {
  const text = String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const size = { width: 800, title: 40, plot: 400, legendRow: 22 } as const
const style = `
.axes path { stroke: var(--grid) }
.band { opacity: 0.2 }
.line { fill: none; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round }
`

function svgOf(props: DownloadsProps): string {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const look = {
    width: size.width,
    height: size.title + size.plot + size.legendRow * (props.curves.length + 1),
    fill: 'var(--text-soft)',
    'font-size': 13,
    'font-family': 'system-ui, sans-serif',
  }
  for (const [name, value] of Object.entries(look)) svg.setAttribute(name, String(value))
  render(<Picture {...props} />, svg)
  return (
    new XMLSerializer()
      .serializeToString(svg)
      // Other programs do not know the variables of the page.
      .replaceAll(/var\(--[\w-]+\)/g, resolveColor)
      // XML allows no other control characters, not even escaped.
      .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
  )
}

function Picture({ curves, measure, runs }: DownloadsProps) {
  const { title, axis } = measures[measure]
  const { x, lines } = linesOf(curves)
  const labels = { xLabel: 'step', yLabel: axis }
  const frame = frameOf({ x, lines, height: size.plot }, lines, null, size.width)
  const colors = colorsOf(lines)
  const commands = runs.map(commandOf).join(' ; ')
  return (
    <>
      <title>{`${title} in ${worldsOf(runs).join(', ')}`}</title>
      <desc>{`Means over seeds, bands of one standard error. ${commands}`}</desc>
      <style>{style}</style>
      <rect width="100%" height="100%" fill="var(--panel)" />
      <text x={frame.left} y={28} font-size={16} font-weight={600} fill="var(--text)">
        {`${title} in ${worldsOf(runs).join(', ')}`}
      </text>
      <g transform={`translate(0 ${size.title})`}>
        <Drawing clip="plot" {...labels} {...{ x, lines, colors, frame }} />
      </g>
      {lines.map(({ label, dashed }, i) => (
        <g
          key={i}
          transform={`translate(${frame.left} ${size.title + size.plot + size.legendRow * (i + 0.5)})`}
        >
          <path
            class="line"
            stroke={colors[i]}
            d="M0,0h24"
            {...(dashed && { 'stroke-dasharray': '6 4' })}
          />
          <text x={32} y={4} fill="var(--text)">
            {label}
          </text>
        </g>
      ))}
    </>
  )
}

/** A PNG of an SVG, at twice its size. */
async function pngOf(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  try {
    const image = new Image()
    image.src = url
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = 2 * image.naturalWidth
    canvas.height = 2 * image.naturalHeight
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height)
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))))
    })
  } finally {
    URL.revokeObjectURL(url)
  }
}
