// The gate: every check that a change must pass, in one command. All checks run even if one fails. The
// output ends with the names of the failed checks, and a last line that counts checks and tests.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { checkout, environment } from './checkout.ts'
import { ensureChromium } from './ensure-chromium.ts'
import { ensureNginx } from './ensure-nginx.ts'
import { ensurePostgres } from './ensure-postgres.ts'
import { reportSourceSize } from './source-size.ts'

interface Count {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

const checks: readonly (readonly [name: string, command: string])[] = [
  ['format', 'oxfmt --check .'],
  ['lint', 'oxlint --type-aware --deny-warnings .'],
  ['types', 'tsc'],
  ['kernels match their source', 'node scripts/build-kernels.ts --check'],
  ['the OpenAPI document', 'node scripts/check-openapi.ts'],
]

const none: Count = { passed: 0, failed: 0, skipped: 0 }

async function main(): Promise<void> {
  process.chdir(checkout)
  ensureChromium()
  ensurePostgres()
  ensureNginx()
  // Tests wait for processes, browsers and the disk now and then: the checks use that time.
  const [tests, ...succeeded] = await Promise.all([
    runTests(),
    ...checks.map(([name, command]) => step(name, command, 'pipe')),
  ])
  const failed = checks.filter((_, i) => !succeeded[i])
  const ofChecks = { ...none, passed: checks.length - failed.length, failed: failed.length }
  const total = add(ofChecks, tests)
  console.log()
  reportSourceSize()
  for (const [name, command] of failed) console.log(`\n${name} FAILED: ${command}`)
  console.log(total.skipped > 0 ? `\n${total.skipped} skipped` : '')
  console.log(`${total.passed} passed, ${total.failed} failed`)
  process.exitCode = total.failed > 0 ? 1 : 0
}

/** Runs a command and returns whether it succeeded. With `pipe`, prints its output when it ends. */
async function step(name: string, command: string, output: 'inherit' | 'pipe'): Promise<boolean> {
  if (output === 'inherit') console.log(`\n── ${name}: ${command}`)
  const start = performance.now()
  const child = spawn(command, {
    env: environment,
    shell: true,
    stdio: ['ignore', output, output],
  })
  const printed: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => printed.push(chunk))
  }
  const [status] = (await once(child, 'close')) as [number | null]
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  if (output === 'pipe')
    console.log(`\n── ${name}: ${command}\n${Buffer.concat(printed).toString()}`)
  console.log(`── ${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s`)
  return status === 0
}

/**
 * Runs all tests. While they run, a browser may get no CPU time for as long as its tests wait, so if
 * only browser tests fail, they run once more alone.
 */
async function runTests(): Promise<Count> {
  const { count, failedFiles } = await runVitest('tests', 'dist/test-report.json')
  const isInBrowser = failedFiles.every((file) => file.endsWith('.browser.test.ts'))
  if (failedFiles.length === 0 || !isInBrowser) return count
  const name = 'failed browser tests, alone'
  const again = await runVitest(name, 'dist/test-report-again.json', failedFiles)
  const failed = again.count.failed
  return { ...count, passed: count.passed + count.failed - failed, failed }
}

interface TestRun {
  readonly count: Count
  readonly failedFiles: readonly string[]
}

async function runVitest(
  name: string,
  report: string,
  files: readonly string[] = [],
): Promise<TestRun> {
  rmSync(report, { force: true })
  const reporters = `--reporter=default --reporter=json --outputFile.json=${report}`
  const succeeded = await step(name, ['vitest run', ...files, reporters].join(' '), 'inherit')
  const run = existsSync(report) ? readReport(readFileSync(report, 'utf8')) : noRun
  // A file that fails to load, or an error outside of tests, does not fail any test.
  if (succeeded || run.count.failed > 0) return run
  return { count: { ...run.count, failed: 1 }, failedFiles: [] }
}

const noRun: TestRun = { count: none, failedFiles: [] }

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: readonly { readonly name: string; readonly status: string }[]
}

function readReport(json: string): TestRun {
  const result = JSON.parse(json) as Report
  const count = {
    passed: result.numPassedTests,
    failed: result.numFailedTests,
    skipped: result.numPendingTests + result.numTodoTests,
  }
  const failed = result.testResults.filter(({ status }) => status === 'failed')
  return { count, failedFiles: failed.map(({ name }) => relative(checkout, name)) }
}

const add = (a: Count, b: Count): Count => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
})

await main()
