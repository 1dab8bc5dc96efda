// The browser tests drive the system's Chromium. Where it is missing and may be installed, this
// installs Debian's package; elsewhere it says so and those tests skip.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

export const chromiumPath = '/usr/bin/chromium'
export const hasChromium = (): boolean => existsSync(chromiumPath)

/** Makes Chromium available if it can, and says what it did if that was not nothing. */
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
