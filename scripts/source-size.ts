// Measures src: lines of code, files, and the lengths of functions. The gate prints the ten longest, and
// test/source-size.test.ts compares every measure with its limit. TypeScript 7 has no parser API, so
// the script relies on the layout of oxfmt: a block ends at the next line with its indentation.

import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { importsOf } from '../test/architecture.ts'
import { checkout, filesOf } from './checkout.ts'

export interface SourceFile {
  /** Relative to src. */
  readonly path: string
  readonly text: string
}

export interface Measured {
  readonly name: string
  readonly lines: number
}

/** The source files of src without tests. */
export const sourceFiles = (): SourceFile[] =>
  filesOf('src', '**/*.{ts,tsx}')
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(checkout, 'src', path), 'utf8') }))

/** Counts lines of code and of comments, without blank lines. */
export function countLines(text: string): { readonly code: number; readonly comments: number } {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  let inBlock = false
  const comments = lines.filter((line) => {
    const head = line.trim()
    const starts = inBlock || head.startsWith('/*')
    if (starts) inBlock = !head.includes('*/')
    return starts || head.startsWith('//')
  }).length
  return { code: lines.length - comments, comments }
}

/** The functions of a formatted source, each with its lines from the head to the closing brace. */
export function measureFunctions(source: string): Measured[] {
  const lines = source.split('\n')
  return lines.flatMap((line, at) => (opensFunction(line) ? [measureFunction(lines, at)] : []))
}

// A head of several lines starts at the last line with the same indentation.
function measureFunction(lines: readonly string[], at: number): Measured {
  const indent = indentOf(lines[at]!)
  const aligned = (line: string): boolean => line.trim() !== '' && indentOf(line) === indent
  const broken = /^\s*[)}\]>]/.test(lines[at]!)
  const start = broken ? lines.findLastIndex((line, i) => i < at && aligned(line)) : at
  const end = lines.findIndex((line, i) => i > at && aligned(line))
  return { name: nameOf(lines[start]!), lines: end - start + 1 }
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

/** Files that only one other file imports and that have fewer lines than `lines`. */
export function smallFragments(files: readonly SourceFile[], lines: number): string[] {
  const importers = new Map<string, number>()
  for (const { path, text } of files) {
    const targets = importsOf(text).map((name) => posix.join(posix.dirname(path), name))
    for (const target of new Set(targets)) importers.set(target, (importers.get(target) ?? 0) + 1)
  }
  return files
    .filter(({ path, text }) => importers.get(path) === 1 && text.split('\n').length - 1 < lines)
    .map(({ path }) => path)
}

export interface SourceSize {
  readonly codeLines: number
  /** The share of comments among lines that are not blank. */
  readonly commentShare: number
  readonly files: number
  readonly filesInServiceRoot: number
  readonly smallFragments: number
  readonly longestFunction: number
  readonly functionsOver40: number
}

export function measureSource(files: readonly SourceFile[]): SourceSize {
  const counts = files.map(({ text }) => countLines(text))
  const sum = (of: 'code' | 'comments'): number => counts.reduce((all, one) => all + one[of], 0)
  const functions = files.flatMap(({ text }) => measureFunctions(text)).map(({ lines }) => lines)
  return {
    codeLines: sum('code'),
    commentShare: sum('comments') / (sum('code') + sum('comments')),
    files: files.length,
    filesInServiceRoot: files.filter(({ path }) => /^service\/[^/]+$/.test(path)).length,
    smallFragments: smallFragments(files, 60).length,
    longestFunction: Math.max(...functions),
    functionsOver40: functions.filter((lines) => lines > 40).length,
  }
}

/** Prints the measures and the ten longest files and functions. */
export function reportSourceSize(): void {
  const files = sourceFiles()
  console.log(measureSource(files))
  const byLength = files.map(({ path, text }) => ({
    name: path,
    lines: text.split('\n').length - 1,
  }))
  const functions = files.flatMap(({ path, text }) =>
    measureFunctions(text).map(({ name, lines }) => ({ name: `${path} ${name}`, lines })),
  )
  printLongest('files', byLength)
  printLongest('functions', functions)
}

function printLongest(what: string, measured: readonly Measured[]): void {
  console.log(`longest ${what}`)
  for (const { name, lines } of measured.toSorted((a, b) => b.lines - a.lines).slice(0, 10)) {
    console.log(`${String(lines).padStart(6)}  ${name}`)
  }
}

if (import.meta.main) reportSourceSize()
