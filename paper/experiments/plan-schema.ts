// The schema of a plan: one JSON file with the runs, figures and tables of an experiment.

import { Type, type Static } from 'typebox'

import { publishedDatasets } from '../../src/datasets/index.ts'
import type { DatasetName } from '../../src/datasets/index.ts'
import { closed, flag, listOf, oneOf, seeds, settings, text } from '../../src/experiments/schema.ts'

const number = Type.Number({ expected: 'a number' })

const names = listOf(text)

/** A name that every file system allows. */
const fileName = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]*$',
  expected: 'a name of lowercase letters, digits and hyphens',
})

const figureSchema = closed({
  /** The name of its files without `.svg` and `.png`. */
  file: fileName,
  kind: oneOf('curves', 'log-log', 'bars', 'sweep', 'heat'),
  title: text,
  xLabel: text,
  yLabel: text,
  /** The series of a figure with curves. */
  series: Type.Optional(text),
  /** The measure of bars, sweeps and heat maps. */
  measure: Type.Optional(text),
  /** In a sweep, a method without the setting, drawn as a level in each panel. */
  baseline: Type.Optional(text),
  /** Defaults to all panels of the plan. */
  panels: Type.Optional(names),
  /** Defaults to all methods of the plan. */
  methods: Type.Optional(
    listOf(
      closed({
        name: text,
        label: Type.Optional(text),
        /** Methods of one family share a hue. Defaults to a family per method. */
        family: Type.Optional(text),
        /** Dashed and lighter (hollow in bars), such as the base model of a REN or a bound. */
        dashed: Type.Optional(flag),
        series: Type.Optional(text),
        /** The x value of the method in a sweep or heat map. */
        value: Type.Optional(number),
        /** The y value of the method in a heat map. */
        row: Type.Optional(number),
      }),
    ),
  ),
  /** Levels for comparison, such as that of an oracle. Their panel defaults to all. */
  references: Type.Optional(
    listOf(closed({ panel: Type.Optional(text), value: number, label: text })),
  ),
  /** The last line, such as the source of the data. Defaults to the plan's label. */
  note: Type.Optional(text),
})

/** The datasets that a plan can need. */
const dataNames = [...(Object.keys(publishedDatasets) as DatasetName[]), 'mind'] as const

export const planSchema = closed({
  /** Also the name of its file and of its folder of results. */
  name: fileName,
  /** A name that selects several plans. */
  group: Type.Optional(fileName),
  title: text,
  /** A note for the readers of the figures, such as that the data is generated. */
  label: Type.Optional(text),
  protocol: text,
  /** The datasets that it needs. */
  data: Type.Optional(listOf(oneOf(...dataNames))),
  seeds,
  panels: listOf(
    closed({
      name: text,
      title: text,
      world: settings,
      /** Settings of methods in this panel, by the name of the method, such as tuned ones. */
      methods: Type.Optional(
        Type.Record(Type.String(), settings, { expected: 'settings by method' }),
      ),
    }),
  ),
  methods: listOf(
    closed({
      /** The name in rows and figures. */
      name: text,
      /** The name that the protocol knows. */
      method: text,
      settings: Type.Optional(settings),
      /** The panels in which it runs. Defaults to all. */
      panels: Type.Optional(names),
    }),
  ),
  comparisons: Type.Array(closed({ method: text, against: text, measure: text }), {
    expected: 'an array',
  }),
  figures: Type.Array(figureSchema, { expected: 'an array' }),
  table: closed({ measures: listOf(closed({ name: text, title: text })) }),
  /** A small version that runs in minutes. */
  quick: closed({
    seeds,
    /** Overrides the settings of the panels. */
    world: settings,
    methods: Type.Optional(names),
    panels: Type.Optional(names),
  }),
  /** Runs that `--check` repeats and compares with the results on disk. */
  check: listOf(closed({ panel: text, method: text, seed: Type.Integer() })),
})

export type Plan = Static<typeof planSchema>
