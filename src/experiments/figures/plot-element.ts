// Observable Plot outside a browser: options in, a piece of SVG out.

import * as Plot from '@observablehq/plot'
import { Window } from 'happy-dom'
import { fontSize, ink } from './style.ts'

/** A plot to be set into a page of SVG, in the page's own font. */
export interface PlotElement {
  readonly svg: string
  readonly width: number
  readonly height: number
}

export function drawPlot(
  options: Plot.PlotOptions & { width: number; height: number },
): PlotElement {
  const window = new Window()
  // happy-dom has types of its own for the DOM, here and at the serialiser.
  const plot = Plot.plot({ ...options, document: window.document as unknown as Document })
  // Rules for a page of HTML, which say nothing to a file that stands alone.
  plot.querySelector('style')?.remove()
  for (const name of ['class', 'font-family']) plot.removeAttribute(name)
  plot.setAttribute('font-size', String(fontSize))
  plot.setAttribute('color', ink.text)
  for (const element of plot.querySelectorAll('*')) roundGeometry(element)
  const svg = new window.XMLSerializer().serializeToString(plot as never)
  return { svg, width: options.width, height: options.height }
}

// To a tenth of a pixel: less text, and no last bits in which two machines could differ.
function roundGeometry(element: Element): void {
  for (const name of geometry) {
    const value = element.getAttribute(name)
    if (value !== null)
      element.setAttribute(
        name,
        value.replace(/\d+\.\d+/g, (number) => String(Math.round(Number(number) * 10) / 10)),
      )
  }
}

const geometry = ['d', 'transform', 'x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'width', 'height']
