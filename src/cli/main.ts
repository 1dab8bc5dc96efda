#!/usr/bin/env node
// The `ren` command.

import { RenError } from '../core/errors.ts'

const minVersion = 24

// Older versions cannot parse the program that is imported below.
if (Number.parseInt(process.versions.node, 10) < minVersion) {
  console.error(`ren: Node must be ${minVersion} or newer, got ${process.versions.node}`)
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
