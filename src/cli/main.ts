#!/usr/bin/env node
// The `ren` command.

import { RenError } from '../core/errors.ts'

const least = 24

// What is loaded below does not even parse for an older one.
if (Number.parseInt(process.versions.node, 10) < least) {
  console.error(`ren: expected Node ${least} or newer, got ${process.versions.node}`)
  process.exit(1)
}

try {
  const { createProgram } = await import('./program.ts')
  await createProgram().parseAsync()
} catch (error) {
  if (!(error instanceof RenError)) throw error
  console.error(`ren: ${error.message} (${error.code})`)
  process.exitCode = 1
}
