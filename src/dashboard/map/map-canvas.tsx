// The map: points, marks, a tooltip, and zoom buttons as an alternative to
// gestures.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import { figure } from '../format.ts'
import { Button } from '../parts/panel.tsx'
import type { Coloring } from './coloring.ts'
import { MapField } from './map-field.ts'
import type { Mark } from './marks.ts'
import type { Points } from './points.ts'
import type { Place } from './projection.ts'

interface MapCanvasProps {
  readonly description: string
  readonly points: Points
  readonly coloring: Coloring
  readonly marks: readonly Mark[]
  /** The tooltip of the point under the pointer. */
  readonly describe: (index: number) => ComponentChildren
}

type Hovered = Readonly<{ index: number; at: Place }>

export function MapCanvas({ description, points, coloring, marks, describe }: MapCanvasProps) {
  const frame = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [field, setField] = useState<MapField | null>(null)
  const [hovered, setHovered] = useState<Hovered | null>(null)
  const [zoom, setZoom] = useState(1)

  useEffect(() => {
    const opened = new MapField(frame.current!, canvas.current!, {
      onHover: (index, at) => setHovered(index === null ? null : { index, at }),
      onZoom: setZoom,
    })
    setField(opened)
    return () => opened.close()
  }, [])
  useEffect(() => field?.setPoints(points), [field, points])
  useEffect(() => field?.setColoring(coloring), [field, coloring])
  useEffect(() => field?.setMarks(marks), [field, marks])

  return (
    <div class="map-around">
      <div
        class="map-frame"
        ref={frame}
        role="application"
        aria-roledescription="map"
        aria-label={`${description} Arrow keys move the map, plus and minus zoom, 0 shows all of it.`}
        tabIndex={0}
      >
        <canvas ref={canvas} aria-hidden="true" />
      </div>
      {hovered && hovered.index < points.x.length && (
        <Tooltip {...hovered} width={frame.current!.clientWidth} describe={describe} />
      )}
      <ZoomButtons zoom={zoom} field={field} />
    </div>
  )
}

interface TooltipProps extends Hovered, Pick<MapCanvasProps, 'describe'> {
  readonly width: number
}

function Tooltip({ index, at, width, describe }: TooltipProps) {
  // On the side with more space.
  const side =
    at.left < width / 2 ? { left: `${at.left + 14}px` } : { right: `${width - at.left + 14}px` }
  return (
    <div class="map-tooltip floating" style={{ ...side, top: `${at.top + 8}px` }}>
      {describe(index)}
    </div>
  )
}

type ZoomButtonsProps = Readonly<{ zoom: number; field: MapField | null }>

const ZoomButtons = ({ zoom, field }: ZoomButtonsProps) => (
  <div class="map-zoom" role="group" aria-label="Zoom">
    <Button label="+" aria-label="Zoom in" onClick={() => field?.zoomBy(1.5)} />
    <Button label="−" aria-label="Zoom out" onClick={() => field?.zoomBy(1 / 1.5)} />
    <Button label="All" onClick={() => field?.reset()} />
    <output aria-label="Magnification">{figure(zoom)}×</output>
  </div>
)
