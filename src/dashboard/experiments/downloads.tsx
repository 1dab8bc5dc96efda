// Downloads of the curves.

import { csvOf } from './curves-csv.ts'
import { svgOf } from './curves-svg.ts'
import { measures } from './curves.ts'
import type { Curve, Measure } from './curves.ts'
import { pageInk } from './page-ink.ts'
import { commandOf } from './race.ts'
import type { Race } from './race.ts'
import { pngOf, saveFile } from './save-file.ts'

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
