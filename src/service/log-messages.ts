// Log messages on their way to their listener.

import type { LogMessage } from './settings.ts'

export function writeLogMessage({ level, message }: LogMessage): void {
  process.stderr.write(`ren: ${level}: ${message}\n`)
}

/** Never throws: what a callback fails to take is written to the standard error. */
export function safeLogging(
  onLogMessage: (logMessage: LogMessage) => void,
): (logMessage: LogMessage) => void {
  return (logMessage) =>
    void Promise.try(onLogMessage, logMessage).catch(() => writeLogMessage(logMessage))
}
