// Downloads of the curves: CSV, SVG and PNG.

import { color, seriesColor, seriesCount } from '../palette.ts'
import { svgOf } from './curves-svg.ts'
import type { Ink } from './curves-svg.ts'
import { measures } from './curves.ts'
import type { Curve, Measure } from './curves.ts'
import { commandOf } from './race.ts'
import type { Race } from './race.ts'

interface DownloadsProps {
  readonly curves: readonly Curve[]
  readonly measure: Measure
  readonly races: readonly Race[]
}

export function Downloads({ curves, measure, races }: DownloadsProps) {
  const worlds = [...new Set(races.map(({ world }) => world))]
  const name = `${worlds.join('-')}-${measure}`
  const draw = (): string =>
    svgOf({
      title: `${measures[measure].title} in ${worlds.join(', ')}`,
      description: `Means over seeds, bands of one standard error. ${races.map(commandOf).join(' ; ')}`,
      xLabel: 'step',
      yLabel: measures[measure].axis,
      curves,
      ink: pageInk(),
    })
  const kinds = {
    csv: () => new Blob([csvOf(curves, measure)], { type: 'text/csv' }),
    svg: () => new Blob([draw()], { type: 'image/svg+xml' }),
    png: () => pngOf(draw()),
  } as const
  return (
    <div class="row" role="group" aria-label="Download the curves">
      <span class="soft">Download</span>
      {Object.entries(kinds).map(([kind, make]) => (
        <button
          key={kind}
          type="button"
          class="small"
          disabled={curves.length === 0}
          onClick={async () => saveFile(`${name}.${kind}`, await make())}
        >
          {kind.toUpperCase()}
        </button>
      ))}
    </div>
  )
}

function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  Object.assign(link, { href: url, download: name })
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
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

const header = 'run,world,method,measure,step,mean,standard_error,seeds'

export function csvOf(curves: readonly Curve[], measure: Measure): string {
  const rows = curves.flatMap(({ race, method, at, means, errors, seeds }) =>
    at.map((step, i) =>
      [race.job.id, race.world, method, measure, step, means[i]!, errors[i]!, seeds]
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

const pageInk = (): Ink => ({
  ground: hex(color('--panel')),
  text: hex(color('--text')),
  soft: hex(color('--text-soft')),
  grid: hex(color('--grid')),
  series: Array.from({ length: seriesCount }, (_, i) => hex(seriesColor(i))),
})

/** A color format that every SVG program supports. */
function hex(rgb: string): string {
  const parts = rgb.match(/[\d.]+/g)!.slice(0, 3)
  return `#${parts.map((part) => Math.round(Number(part)).toString(16).padStart(2, '0')).join('')}`
}
