// A figure as a plan asks for it: what `FigureSpec` needs, less what the plan says elsewhere.

import { Type } from 'typebox'

import { closed, fileName, flag, listOf, names, oneOf, text } from './schema-words.ts'

const number = Type.Number({ description: 'a number' })

export const figureSchema = closed({
  /** The name of its files, less `.svg` and `.png`. */
  file: fileName,
  kind: oneOf('curves', 'log-log', 'bars', 'sweep'),
  title: text,
  xLabel: text,
  yLabel: text,
  /** What curves show. */
  series: Type.Optional(text),
  /** What bars and sweeps show. */
  measure: Type.Optional(text),
  /** Defaults to all panels of the plan. */
  panels: Type.Optional(names),
  /** Defaults to all methods of the plan. */
  methods: Type.Optional(
    listOf(
      closed({
        name: text,
        label: Type.Optional(text),
        family: Type.Optional(text),
        dashed: Type.Optional(flag),
        series: Type.Optional(text),
        /** Where the method stands in a sweep. */
        value: Type.Optional(number),
      }),
    ),
  ),
  references: Type.Optional(
    listOf(closed({ panel: Type.Optional(text), value: number, label: text })),
  ),
  /** Defaults to the plan's label. */
  note: Type.Optional(text),
})
