// Runs a command of `ren` in this process, to save the time to start one.

import { Command } from 'commander'
import { vi } from 'vitest'

export interface Said {
  readonly out: string
  readonly err: string
}

/** `add` adds the command to a program. Throws the errors of the command. */
export async function runCommand(
  add: (program: Command) => void,
  args: readonly string[],
): Promise<Said> {
  const lines = { out: [] as string[], err: [] as string[] }
  const listening = [
    vi.spyOn(console, 'log').mockImplementation((text: string) => void lines.out.push(text)),
    vi.spyOn(console, 'error').mockImplementation((text: string) => void lines.err.push(text)),
  ]
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} })
  add(program)
  for (const command of program.commands) command.copyInheritedSettings(program)
  try {
    await program.parseAsync([...args], { from: 'user' })
    return { out: lines.out.join('\n'), err: lines.err.join('\n') }
  } finally {
    for (const spy of listening) spy.mockRestore()
  }
}
