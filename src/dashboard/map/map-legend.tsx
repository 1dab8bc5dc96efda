// The legend of colors and shapes.

import { shadeColors } from './coloring.ts'
import type { Legend } from './coloring.ts'

interface MapLegendProps {
  readonly legend: Legend
  /** Whether the user embedding is on the map. */
  readonly hasTaste: boolean
}

export function MapLegend({ legend, hasTaste }: MapLegendProps) {
  return (
    <div class="map-legend">
      {legend.kind === 'scale' ? (
        <div class="map-scale">
          <span class="soft">{legend.title}</span>
          <div
            aria-hidden="true"
            style={{ background: `linear-gradient(to right, ${shadesOf(legend.ticks)})` }}
          />
          <span class="map-ticks">
            {legend.ticks.map((tick, i) => (
              <span key={i}>{tick}</span>
            ))}
          </span>
        </div>
      ) : (
        <ul aria-label={legend.title}>
          {legend.entries.map(({ text, color }) => (
            <li key={text}>
              <i style={{ background: color }} aria-hidden="true" />
              {text}
            </li>
          ))}
        </ul>
      )}
      <MarkLegend hasTaste={hasTaste} />
    </div>
  )
}

/** A scale of one value has one color, but a gradient needs two. */
const shadesOf = ({ length }: readonly string[]): string =>
  (length === 1 ? [shadeColors[0], shadeColors[0]] : shadeColors).join(', ')

function MarkLegend({ hasTaste }: Pick<MapLegendProps, 'hasTaste'>) {
  return (
    <ul aria-label="Marks">
      <li>
        <i class="map-mark slate" aria-hidden="true">
          1
        </i>
        slate, by rank
      </li>
      <li>
        <i class="map-mark history" aria-hidden="true" />
        history
      </li>
      {hasTaste && (
        <li>
          <i class="map-mark taste" aria-hidden="true">
            <b>θ</b>
          </i>
          user embedding; at the edge if it is outside
        </li>
      )}
    </ul>
  )
}
