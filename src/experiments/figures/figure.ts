// What a figure shows of a summary: data, so that a plan can carry its figures.

interface FigureText {
  readonly title: string
  readonly xLabel: string
  readonly yLabel: string
  readonly panels: readonly FigurePanel[]
  /** Levels to read the results against, such as an oracle's. */
  readonly references?: readonly Reference[]
  /** The last line: where the data are from, how to make the figure again. */
  readonly note?: string
}

export interface FigurePanel {
  readonly name: string
  readonly title: string
}

export interface Reference {
  /** In this panel only; in all of them otherwise. */
  readonly panel?: string
  readonly value: number
  readonly label: string
}

export interface FigureMethod {
  readonly name: string
  readonly label: string
  /** Methods of one family share a hue. By default each method is a family of its own. */
  readonly family?: string
  /** Dashed and lighter (hollow in bars): a base model beside its REN, a bound beside a curve. */
  readonly dashed?: boolean
}

/** A series over steps, a facet a panel, a line a method; `log-log` on logarithmic axes. */
export interface CurvesFigure extends FigureText {
  readonly kind: 'curves' | 'log-log'
  readonly series: string
  /** A method may show another series than the rest, such as the bound on its regret. */
  readonly methods: readonly (FigureMethod & { readonly series?: string })[]
}

/** A measure as dots with whiskers, a facet a panel, a row a method. */
export interface BarsFigure extends FigureText {
  readonly kind: 'bars'
  readonly measure: string
  readonly methods: readonly FigureMethod[]
}

/** A measure against a setting on a logarithmic axis, a line a panel. */
export interface SweepFigure extends FigureText {
  readonly kind: 'sweep'
  readonly measure: string
  /** The runs of the sweep, each with its value of the setting. */
  readonly methods: readonly { readonly name: string; readonly value: number }[]
}

export type FigureSpec = CurvesFigure | BarsFigure | SweepFigure
