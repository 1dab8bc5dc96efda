// What a figure must be before there are results to draw: a plan is refused for it at once.

import { RenError } from '../../core/errors.ts'
import type { FigureSpec } from './figure.ts'
import { familiesOf, hueCount } from './style.ts'

export function requireFigure(figure: FigureSpec): void {
  const { title, kind, panels, methods, references = [] } = figure
  const expect = (holds: boolean, expected: string, came: string | number) => {
    if (!holds)
      throw new RenError('invalid-argument', `figure "${title}": expected ${expected}, got ${came}`)
  }
  expect(panels.length > 0, 'a panel or more', 'none')
  expect(methods.length > 0, 'a method or more', 'none')
  const hues = kind === 'bars' ? 0 : familiesOf(kind === 'sweep' ? panels : methods).length
  expect(hues <= hueCount, `at most ${hueCount} hues, which can be distinguished`, hues)
  for (const { panel, label, value } of references) {
    const known = panel === undefined || panels.some(({ name }) => name === panel)
    expect(known, `a panel of the figure for the reference ${label}`, panel ?? 'none')
    const drawable = Number.isFinite(value) && (kind !== 'log-log' || value > 0)
    expect(drawable, `a value on the axis for the reference ${label}`, value)
  }
  if (figure.kind !== 'sweep') return
  for (const { name, value } of figure.methods)
    expect(value > 0 && value < Infinity, `a setting above 0 for ${name}`, value)
}
