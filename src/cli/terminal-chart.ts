// A chart of curves in characters, for a terminal.

export interface ChartCurve {
  readonly label: string
  /** Points at equal distances, the last one at the end of what has happened. */
  readonly values: readonly number[]
}

export interface ChartOptions {
  readonly columns?: number
  readonly rows?: number
  /** How many points a complete curve has. Defaults to the number of points of the longest curve. */
  readonly points?: number
  /** A dotted line across. */
  readonly reference?: { readonly label: string; readonly value: number }
  /** Of the vertical axis. Defaults to the range of the curves. */
  readonly range?: readonly [least: number, most: number]
}

const marks = ['●', '○', '▲', '△']
const axisWidth = 6

/** `steps` is written at the right end of the horizontal axis. */
export function drawChart(
  curves: readonly ChartCurve[],
  steps: number,
  options: ChartOptions = {},
): string {
  const { columns = 60, rows = 12, reference } = options
  const points = options.points ?? Math.max(...curves.map(({ values }) => values.length))
  const [least, most] = options.range ?? rangeOf(curves, reference?.value)
  const cells = Array.from({ length: rows }, () => Array<string>(columns).fill(' '))
  const rowOf = (value: number): number => {
    const share = (value - least) / (most - least || 1)
    return rows - 1 - Math.round(Math.min(1, Math.max(0, share)) * (rows - 1))
  }
  if (reference) cells[rowOf(reference.value)]!.fill('┄')
  for (const [i, { values }] of curves.entries()) {
    const drawn = Math.round((columns * values.length) / Math.max(1, points))
    for (let column = 0; column < drawn; column++) {
      const value = valueAt(values, ((column + 1) * points) / columns - 1)
      cells[rowOf(value)]![column] = marks[i % marks.length]!
    }
  }
  const axis = (row: number): string => {
    const labelled = row === 0 || row === rows - 1
    const value = most - ((most - least) * row) / (rows - 1)
    return `${(labelled ? value.toFixed(2) : '').padStart(axisWidth)} │`
  }
  const legend = [
    ...curves.map(({ label }, i) => `${marks[i % marks.length]!} ${label}`),
    ...(reference ? [`┄ ${reference.label}`] : []),
  ].join('   ')
  const indent = ' '.repeat(axisWidth + 1)
  return [
    ...cells.map((line, row) => axis(row) + line.join('').trimEnd()),
    `${indent}└${'─'.repeat(columns)}`,
    `${indent} 1${`${steps} steps`.padStart(columns - 1)}`,
    `${indent} ${legend}`,
  ].join('\n')
}

/** Between two points on a straight line. */
function valueAt(values: readonly number[], place: number): number {
  const at = Math.min(values.length - 1, Math.max(0, place))
  const before = values[Math.floor(at)]!
  const after = values[Math.ceil(at)]!
  return before + (after - before) * (at - Math.floor(at))
}

function rangeOf(curves: readonly ChartCurve[], reference = Number.NaN): [number, number] {
  const values = [...curves.flatMap((curve) => curve.values), reference].filter(Number.isFinite)
  return [Math.min(...values), Math.max(...values)]
}
