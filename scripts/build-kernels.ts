// Compiles src/kernels/assembly into the two committed modules of src/kernels/wasm.
// With --check it writes nothing, and fails if the committed modules differ from the compiled source.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'

import { compileAssembly, features } from './compile-assembly.ts'

const entry = 'src/kernels/assembly/index.ts'

for (const [build, enabled] of Object.entries(features)) {
  const own = await compileAssembly(entry, enabled)
  const shared = await compileAssembly(entry, [...enabled, 'threads'], ['--sharedMemory'])
  const text = moduleSource(build, own, onlyDifference(own, shared))
  const path = `src/kernels/wasm/${build}.ts`
  if (!process.argv.includes('--check')) {
    mkdirSync('src/kernels/wasm', { recursive: true })
    writeFileSync(path, text)
    console.log(`${path}: ${own.length.toLocaleString('en')} bytes of WebAssembly`)
  } else if (readFileSync(path, 'utf8') !== text) {
    console.error(`${path} is not what ${entry} compiles to; run npm run build:kernels`)
    process.exitCode = 1
  } else {
    console.log(`${path} is what ${entry} compiles to`)
  }
}

/** Sharing memory between threads changes one bit of the module: the flags of its memory import. */
function onlyDifference(own: Uint8Array, shared: Uint8Array): number {
  const differing = [...own.keys()].filter((at) => own[at] !== shared[at])
  const at = differing[0]
  if (own.length !== shared.length || differing.length !== 1 || at === undefined) {
    throw new Error(`the shared module differs in ${differing.length} bytes, expected one`)
  }
  if (shared[at] !== (own[at]! | 2)) throw new Error(`byte ${at} is not the memory flags`)
  return at
}

function moduleSource(build: string, bytes: Uint8Array, memoryFlagsOffset: number): string {
  return [
    `// Made by scripts/build-kernels.ts from src/kernels/assembly (${build}); do not edit.`,
    `export const memoryFlagsOffset = ${memoryFlagsOffset}`,
    `export const base64 =\n  '${Buffer.from(bytes).toString('base64')}'`,
    '',
  ].join('\n')
}
