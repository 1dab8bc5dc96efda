// The code in the documents that uses the package.

import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { checkout, filesOf } from '../scripts/checkout.ts'

export interface DocExample {
  readonly file: string
  readonly code: string
}

/** Without docs/api.md, which repeats the examples of TSDoc. They read files that do not exist here. */
export const docExamples: readonly DocExample[] = filesOf('.', '{README.md,docs/**/*.md}')
  .filter((path) => path !== 'docs/api.md')
  .flatMap((path) =>
    [...readFileSync(join(checkout, path), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)]
      .map((match) => match[1]!)
      .filter((code) => code.includes("'ren-recommender"))
      .map((code, i) => ({ file: `${basename(path, '.md')}-${i + 1}.ts`, code })),
  )
