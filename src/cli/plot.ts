// ren plot: the curves of results that are there, in the terminal or in a picture. What reads them is
// loaded only when it is asked for.

import type { Command } from 'commander'

export interface PlotOptions {
  readonly panel?: string
  readonly series?: string
  readonly methods?: readonly string[]
  readonly out?: string
  readonly json?: true
}

export function addPlot(program: Command): void {
  program
    .command('plot')
    .description('plot the curves of results in the terminal or as an image')
    .argument('<results>', 'a folder of ren reproduce, such as paper/results/syn-s')
    .option('--panel <name>', 'which part of the results (default: the first)')
    .option('--series <name>', 'reward, regret or another series (default: the first)')
    .option('--methods <names>', 'separated by commas (default: all)', (text) => text.split(','))
    .option('--out <file>', 'write an image instead, .svg or .png')
    .option('--json', 'print the curves as one JSON document')
    .action(async (results: string, options: PlotOptions) => {
      const { runPlot } = await import('./run-plot.ts')
      await runPlot(results, options)
    })
}
