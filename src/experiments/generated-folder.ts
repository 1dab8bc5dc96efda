// Generated data, written when a run first requests it and read from then on.

import { writeGeneratedData } from '../datasets/index.ts'
import type { GeneratedData } from '../datasets/index.ts'
import { cached, codeDigest, digest } from './cache.ts'

/** The folder of what `make` makes of these settings; another for other settings or other code. */
export function generatedFolder<Settings>(
  name: string,
  make: (settings: Settings) => GeneratedData,
  settings: Settings,
): Promise<string> {
  const key = digest([settings, codeDigest('{core,datasets}/*.{ts,js}')])
  return cached(`${name}-${key}`, (path) => writeGeneratedData(path, make(settings)))
}
