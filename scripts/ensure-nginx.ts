// The test of docs/scaling.md runs nginx: the installed one, or that of Debian's package, which this script unpacks
// without installing it. Otherwise it prints a message, and the test is skipped.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkout } from './checkout.ts'
import { canUnpack, unpackPackages } from './debian-package.ts'

const unpacked = join(checkout, 'node_modules', '.cache', 'ren-nginx')
const installed = '/usr/sbin/nginx'

/** The folder with the program nginx; null without one. */
export function nginxPrograms(): string | null {
  const path = [installed, join(unpacked, installed)].find((program) => existsSync(program))
  return path === undefined ? null : dirname(path)
}

/** Unpacks nginx if necessary and possible, and prints what it did. */
export function ensureNginx(): void {
  if (nginxPrograms() !== null) return
  if (canUnpack()) unpackPackages(['nginx'], unpacked)
  const place = nginxPrograms()
  const missing = 'is missing (without it the test of docs/scaling.md is skipped)'
  console.log(`nginx: ${place === null ? missing : `unpacked into ${place}`}`)
}

if (import.meta.main) ensureNginx()
