// Writes docs/cli.md from the command itself, so that the page says what `ren --help` says.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { createProgram } from '../src/cli/program.ts'
import { checkout } from './checkout.ts'

export const cliPage = join(checkout, 'docs', 'cli.md')

const introduction = `# The command line

\`ren\` is the package's command; in a checkout it is \`npm run ren -- COMMAND\`. This page is what
\`ren --help\` and \`ren COMMAND --help\` print, and \`npm run write:cli-doc\` writes it.

- Results go to the standard output, progress to the standard error: one line with the time left, rewritten in
  place on a terminal, a plain line every five seconds elsewhere.
- \`--json\` makes of the results one JSON document (of \`serve\` and \`export\`, a line each).
- Ctrl-C ends in peace: what is done is saved, or printed as far as it came. A second one kills.

| exit code | meaning                                                                                        |
| --------- | ---------------------------------------------------------------------------------------------- |
| 0         | done; of \`serve\`, stopped as asked; of \`export\`, also when the reader closed the pipe          |
| 1         | refused or failed; one line says why, with a [code](errors.md) unless the options were wrong   |
| 130       | interrupted: \`train\` has written its best model, \`import\` and \`reproduce\` go on when run again |
`

export function cliDocument(): string {
  const program = createProgram()
  const commands = program.commands.filter((command) => command.name() !== 'help')
  return [introduction, section('ren', program), ...commands.flatMap(sections)].join('\n')
}

function sections(command: Command): string[] {
  const parts = command.commands.filter((part) => part.name() !== 'help')
  const name = nameOf(command)
  return [section(name, command), ...parts.map((part) => section(nameOf(part), part))]
}

const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name()

const section = (name: string, command: Command): string =>
  `## ${name}\n\n\`\`\`\n${helpOf(command).trimEnd()}\n\`\`\`\n`

/** As it is printed, whatever the width of this terminal and the number of its cores. */
function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({
    writeOut: (more) => (text += more),
    getOutHelpWidth: () => 100,
    getOutHasColors: () => false,
  })
  command.outputHelp()
  return text.replace(/(runs at a time \(default:) \d+\)/, '$1 as many as there are cores)')
}

if (import.meta.main) writeFileSync(cliPage, cliDocument())
