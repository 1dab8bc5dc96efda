// Compiles src/kernels/assembly into the two committed modules of src/kernels/wasm.
// With --check it writes nothing, and fails if the committed modules differ from the compiled source.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'

import asc from 'assemblyscript/asc'

const entry = 'src/kernels/assembly/index.ts'
const features = { 'relaxed-simd': ['simd', 'relaxed-simd'], simd128: ['simd'] }

for (const [build, enabled] of Object.entries(features)) {
  const own = await compile(enabled, [])
  const shared = await compile([...enabled, 'threads'], ['--sharedMemory'])
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

async function compile(enabled: readonly string[], more: readonly string[]): Promise<Uint8Array> {
  // Warning 112 concerns vectors that are passed to the host; these functions pass none.
  const fixed =
    '--runtime stub --importMemory --noExportMemory --maximumMemory 65536 ' +
    '-O3 --converge --noAssert --use abort= --disableWarning 112'
  const options = [...fixed.split(' '), ...enabled.flatMap((feature) => ['--enable', feature])]
  let binary: Uint8Array | undefined
  const { error } = await asc.main([entry, '-o', 'kernels.wasm', ...options, ...more], {
    writeFile: (_name, contents) => {
      if (typeof contents !== 'string') binary = contents
    },
    stderr: process.stderr,
  })
  if (binary === undefined) throw new Error(`${entry} does not compile`, { cause: error })
  return binary
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
