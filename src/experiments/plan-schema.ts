// The schema of a plan: one JSON file that says what to run, draw and tabulate.

import { Type } from 'typebox'
import type { Static } from 'typebox'

import { datasetFiles, locateDataset, publishedDatasets } from '../datasets/index.ts'
import type { DatasetFileName, DatasetName } from '../datasets/index.ts'
import { closed, fileName, flag, listOf, names, oneOf, text } from './schema.ts'

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

export type PlanData = DatasetName | DatasetFileName

/** What a plan can need. */
export const dataNames = Object.keys({ ...publishedDatasets, ...datasetFiles }) as PlanData[]

/** Refuses with what is not in the folder and where to get it. */
export function requireData({ data = [] }: Plan, folder: string): void {
  for (const name of data) locateDataset(name, folder)
}

/** Flat settings of a world or a method. */
export const settings = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
    description: 'a text, a number, true or false',
  }),
  { description: 'settings by name' },
)

export const seeds = Type.Union(
  [Type.String(), Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 })],
  { description: 'whole numbers, such as "200..219" or [200, 201]' },
)

export const planSchema = closed({
  /** That of its file, and of its folder of results. */
  name: fileName,
  /** Another name that it answers to, together with other plans. */
  group: Type.Optional(fileName),
  title: text,
  /** What readers must know before the figures, such as that the data is made up. */
  label: Type.Optional(text),
  protocol: text,
  /** The data sets that it needs. */
  data: Type.Optional(listOf(oneOf(...dataNames))),
  seeds,
  panels: listOf(closed({ name: text, title: text, world: settings })),
  methods: listOf(
    closed({
      /** What it is called in rows and figures. */
      name: text,
      /** What it is, in the words of the protocol. */
      method: text,
      settings: Type.Optional(settings),
      /** The panels that it runs in. Defaults to all. */
      panels: Type.Optional(names),
    }),
  ),
  comparisons: Type.Array(closed({ method: text, against: text, measure: text }), {
    description: 'a list',
  }),
  figures: Type.Array(figureSchema, { description: 'a list' }),
  table: closed({ measures: listOf(closed({ name: text, title: text })) }),
  /** A small form that shows in minutes that all of it works. */
  quick: closed({
    seeds,
    /** Over what the panels say. */
    world: settings,
    methods: Type.Optional(names),
    panels: Type.Optional(names),
  }),
  /** Runs that are done again to see whether the results on disk can be had again. */
  check: listOf(closed({ panel: text, method: text, seed: Type.Integer() })),
})

export type Plan = Static<typeof planSchema>
