#!/usr/bin/env node
// The `ren` command.

import { RenError } from '../core/errors.ts'
import { createProgram } from './program.ts'

try {
  await createProgram().parseAsync()
} catch (error) {
  if (!(error instanceof RenError)) throw error
  console.error(`ren: ${error.message} (${error.code})`)
  process.exitCode = 1
}
