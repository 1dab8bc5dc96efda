// Generates docs/cli.md from the help texts of the command.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { createProgram } from '../src/cli/program.ts'
import { checkout } from './checkout.ts'

export const cliPage = join(checkout, 'docs', 'cli.md')

const introduction = `# Command line

\`ren\` is the package's command. In a checkout, type \`npm run ren -- COMMAND\`. This page contains the output of
\`ren --help\` and \`ren COMMAND --help\`; \`npm run write:cli-doc\` generates it.

- Results go to standard output, progress to standard error. On a terminal, progress is one updated line with the time
  left; elsewhere it is one line every five seconds.
- \`--json\` prints the results as one JSON document (\`serve\` and \`export\` print one document per line).
- Ctrl-C saves completed work, or prints it. A second Ctrl-C kills the process.

| Exit code | Meaning                                                                                       |
| --------- | --------------------------------------------------------------------------------------------- |
| 0         | success; for \`serve\`, a normal stop; for \`export\`, also a reader that closed the pipe         |
| 1         | refused or failed; one line says why, with a [code](errors.md) except for wrong options       |
| 130       | interrupted: \`train\` has written its best model; run \`import\` and \`reproduce\` again to resume |
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

/** The help text, independent of the width of this terminal and the number of cores. */
function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({
    writeOut: (more) => (text += more),
    getOutHelpWidth: () => 100,
    getOutHasColors: () => false,
  })
  command.outputHelp()
  return text.replace(
    /((?:parallel runs|threads of the engine) \(default:) \d+\)/,
    '$1 the number of cores)',
  )
}

if (import.meta.main) writeFileSync(cliPage, cliDocument())
