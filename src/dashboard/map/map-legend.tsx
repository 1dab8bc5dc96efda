// What the colours and the shapes on the map mean.

import { shadeColours } from './colouring.ts'
import type { Legend } from './colouring.ts'

interface MapLegendProps {
  readonly legend: Legend
  /** Whether taste is on the map. */
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
          {legend.entries.map(({ text, colour }) => (
            <li key={text}>
              <i style={{ background: colour }} aria-hidden="true" />
              {text}
            </li>
          ))}
        </ul>
      )}
      <MarkLegend hasTaste={hasTaste} />
    </div>
  )
}

/** A scale of one number has one colour, of which a gradient needs two. */
const shadesOf = ({ length }: readonly string[]): string =>
  (length === 1 ? [shadeColours[0], shadeColours[0]] : shadeColours).join(', ')

function MarkLegend({ hasTaste }: Pick<MapLegendProps, 'hasTaste'>) {
  return (
    <ul aria-label="Marks">
      <li>
        <i class="map-mark slate" aria-hidden="true">
          1
        </i>
        slate, by place
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
          taste of the user; at the rim where it lies beyond
        </li>
      )}
    </ul>
  )
}
