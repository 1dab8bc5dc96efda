// Notices on their way to whoever asked for them.

import type { Notice } from './settings.ts'

export function writeNotice({ level, message }: Notice): void {
  process.stderr.write(`ren: ${level}: ${message}\n`)
}

/** Never throws: what a callback fails to take is written to the standard error. */
export function safeNotices(onNotice: (notice: Notice) => void): (notice: Notice) => void {
  return (notice) => void Promise.try(onNotice, notice).catch(() => writeNotice(notice))
}
