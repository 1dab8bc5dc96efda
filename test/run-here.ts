// Runs the `ren` command like main.ts, but in the process of the tests, to save the time to start one.
// Each command also has tests in its own process (run-ren.ts).

import { CommanderError } from 'commander'
import type { Command } from 'commander'
import { vi } from 'vitest'
import { createProgram } from '../src/cli/program.ts'
import { RenError } from '../src/core/errors.ts'
import type { Ended } from './run-ren.ts'

export async function runRenHere(args: readonly string[]): Promise<Ended> {
  const written = { stdout: '', stderr: '' }
  const to = (stream: keyof typeof written, end: string) => (text: unknown) => {
    written[stream] += `${String(text)}${end}`
    return true
  }
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(to('stdout', '\n')),
    vi.spyOn(console, 'error').mockImplementation(to('stderr', '\n')),
    vi.spyOn(process.stdout, 'write').mockImplementation(to('stdout', '')),
    vi.spyOn(process.stderr, 'write').mockImplementation(to('stderr', '')),
  ]
  const codeBefore = process.exitCode
  process.exitCode = 0
  try {
    await throwingProgram().parseAsync([...args], { from: 'user' })
    return { code: process.exitCode, ...written }
  } catch (error) {
    if (error instanceof CommanderError) return { code: error.exitCode, ...written }
    if (!(error instanceof RenError)) throw error
    const stderr = `${written.stderr}ren: ${error.message} (${error.code})\n`
    return { code: 1, stdout: written.stdout, stderr }
  } finally {
    process.exitCode = codeBefore
    for (const spy of spies) spy.mockRestore()
  }
}

/** Throws if the command would exit the process. */
function throwingProgram(): Command {
  const program = createProgram()
  const change = (command: Command): void => {
    command.exitOverride()
    command.commands.forEach(change)
  }
  change(program)
  return program
}
