// Measures how long files and functions are. It reads the layout that oxfmt guarantees (a block
// ends where its indentation comes back), since TypeScript 7 offers no parser to a script.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkout, filesOf } from './checkout.ts'

export interface Measured {
  readonly name: string
  readonly lines: number
}

interface Span {
  readonly start: number
  readonly end: number
  readonly lines: readonly number[]
}

const limits = { file: 300, function: 40 }
const shown = 10

/** The functions of one formatted source, each with its lines less those of functions within. */
export function measureFunctions(source: string): Measured[] {
  const lines = source.split('\n')
  const spans = lines.flatMap((line, at) => (opensFunction(line) ? [spanOf(lines, at)] : []))
  return spans.map((span) => {
    const inner = spans.filter((other) => other.start > span.start && other.end <= span.end)
    const own = span.lines.filter((line) => !inner.some((o) => o.start <= line && line <= o.end))
    return { name: nameOf(lines[span.start]!), lines: own.length }
  })
}

// A head that was broken over lines starts where its indentation was last seen.
function spanOf(lines: readonly string[], at: number): Span {
  const aligned = lines.flatMap((line, i) =>
    line.trim() !== '' && indentOf(line) === indentOf(lines[at]!) ? [i] : [],
  )
  const here = aligned.indexOf(at)
  const start = /^\s*[)}\]>]/.test(lines[at]!) ? aligned[here - 1]! : at
  const end = aligned[here + 1]!
  return { start, end, lines: Array.from({ length: end - start + 1 }, (_, i) => start + i) }
}

function opensFunction(line: string): boolean {
  const head = line.trim()
  if (/^(?:\} )?(?:if|else|for|while|switch|catch|do|try|with)\b/.test(head)) return false
  return /=> [({]+$/.test(head) || /\)(?:: .+)? \{$/.test(head)
}

const indentOf = (line: string): number => line.length - line.trimStart().length

const nameOf = (head: string): string =>
  /(?:function\*?|const|let|get|set) ([\w$]+)/.exec(head)?.[1] ??
  /^\s*(?:async |static |readonly )*([\w$]+)\s*[(<:=]/.exec(head)?.[1] ??
  '(anonymous)'

/** Prints the longest files and functions of src, and marks those over the house's soft limits. */
export function reportLongest(): void {
  const sources = filesOf('src', '**/*.ts')
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => ({ path, text: readFileSync(join(checkout, 'src', path), 'utf8') }))
  print(
    'files',
    limits.file,
    sources.map(({ path, text }) => ({ name: path, lines: text.split('\n').length - 1 })),
  )
  print(
    'functions',
    limits.function,
    sources.flatMap(({ path, text }) =>
      measureFunctions(text).map(({ name, lines }) => ({ name: `${path} ${name}`, lines })),
    ),
  )
}

function print(what: string, limit: number, measured: readonly Measured[]): void {
  console.log(`longest ${what} (soft limit ${limit} lines)`)
  for (const { name, lines } of measured.toSorted((a, b) => b.lines - a.lines).slice(0, shown)) {
    console.log(
      `${String(lines).padStart(6)}  ${name}${lines > limit ? '  warning: too long' : ''}`,
    )
  }
}

if (import.meta.main) reportLongest()
