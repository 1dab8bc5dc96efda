// The browser tests use the system's Chromium. If it is missing, this script installs Debian's package
// if it may. Otherwise it prints a message, and the browser tests are skipped.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

export const chromiumPath = '/usr/bin/chromium'
export const hasChromium = (): boolean => existsSync(chromiumPath)

/** Installs Chromium if necessary and possible, and prints what it did. */
export function ensureChromium(): void {
  if (hasChromium()) return
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    return say('is missing and can be installed here only by hand')
  }
  say('is missing: installing the package of that name')
  apt('update')
  apt('install', '-y', '--no-install-recommends', 'chromium')
  say(hasChromium() ? 'is installed' : 'could not be installed')
}

function apt(...args: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync('apt-get', args, { stdio: ['ignore', 'inherit', 'inherit'], env })
}

function say(what: string): void {
  const consequence = hasChromium() ? '' : ' (without it the browser tests are skipped)'
  console.log(`chromium: ${chromiumPath} ${what}${consequence}`)
}

if (import.meta.main) ensureChromium()
