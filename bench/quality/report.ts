// Writes bench/quality.md from runs.json: the newest run of every row with its bars, then every run.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkout, run as execute } from '../../scripts/checkout.ts'
import { formatNumber, isMet } from './row.ts'
import type { QualityFigure } from './row.ts'
import { rows } from './rows.ts'
import { readRuns } from './runs.ts'
import type { Run } from './runs.ts'

const introduction = `# Quality of what the service recommends

These figures are measured over HTTP, with \`ren serve\` as a child process. The service has its default settings, except
for the seed, a free port and no rate limit. Each row of the benchmark is a file in [quality/](quality), which starts with a
description. [quality-offline.md](quality-offline.md) evaluates models that \`ren train\` writes.

    npm run bench -- quality ROW --stage start|trained|both --split test --write

\`start\` is 60 s after the first response of the service. \`trained\` is after the first full training run in the background.
We choose settings on the validation split (\`--split validation\`, the default): second-to-last items, Diginetica's period
15, other seeds. The test split is for released settings, and the last section lists every run on it. ± is a standard error
over users, over sessions (from a bootstrap), over lists, or, in the stream, over seeds. A bar that depends on an error, such
as "not below by more than two standard errors", is met within that error.

The data is not in this repository; \`--data\` or \`REN_DATA\` names the folder.
`

const none = '\nThere is no run on the test split yet.\n'

export function writeReport(): void {
  const path = join(checkout, 'bench/quality.md')
  writeFileSync(path, reportOf(readRuns()))
  execute('oxfmt', [path, join(import.meta.dirname, 'runs.json')])
}

/** The newest run of each row and stage, then all runs. */
export function reportOf(runs: readonly Run[]): string {
  const sections = Object.keys(rows).flatMap((row) => {
    const ofRow = runs.filter((run) => run.row === row && run.note === undefined)
    const stages = [...new Set(ofRow.map(({ stage }) => stage))]
    return stages.map((stage) => sectionOf(ofRow.findLast((run) => run.stage === stage)!))
  })
  const body = runs.length === 0 ? none : `${sections.join('\n')}\n${listOf(runs)}`
  return `${introduction}${body}`
}

function sectionOf(run: Run): string {
  const { row, stage, figures } = run
  const title = `${rows[row]!.title}${stage === null ? '' : `: ${stage}`}`
  const lines = figures.map((figure) => `| ${cellsOf(figure).join(' | ')} |`)
  return [
    `\n## ${title}\n`,
    describeRun(run),
    '',
    '| figure | measured | bar | |',
    '|---|---|---|---|',
    ...lines,
    '',
  ].join('\n')
}

function cellsOf(figure: QualityFigure): string[] {
  const { name, value, error, bar, note } = figure
  const measured = error === undefined ? '' : ` ± ${formatNumber(error)}`
  const met = isMet(figure)
  const verdict = met === null ? '' : met ? 'met' : '**missed**'
  return [
    (note ? `${name} (${note})` : name).replaceAll('|', '\\|'),
    `${formatNumber(value)}${measured}`,
    bar === undefined ? '' : `${bar.at} ${formatNumber(bar.limit)}`,
    verdict,
  ]
}

function describeRun({ date, commit, seeds, settings, machine }: Run): string {
  const changed = settings.length === 0 ? 'default settings' : `\`${settings.join(' ')}\``
  const which = seeds.length === 1 ? 'seed' : 'seeds'
  return `${date.slice(0, 16).replace('T', ' ')} UTC, commit ${commit}, ${which} ${seeds.join(', ')}, ${changed}. ${machine}.`
}

/** Every run, with its figures that have a bar or with its note. */
function listOf(runs: readonly Run[]): string {
  const lines = runs.map((run) => {
    const { date, commit, row, stage, seeds, settings, figures, note } = run
    const barred = figures.filter(({ bar }) => bar !== undefined)
    const results = barred.map(({ name, value }) => `${name} ${formatNumber(value)}`).join('; ')
    const cells = [date.slice(0, 16), commit, row, stage ?? '', seeds.join(' '), settings.join(' ')]
    return `| ${[...cells, note ?? results].join(' | ')} |`
  })
  return [
    '\n## Every run on the test split\n',
    '| date (UTC) | commit | row | stage | seeds | settings | figures with a bar |',
    '|---|---|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n')
}
