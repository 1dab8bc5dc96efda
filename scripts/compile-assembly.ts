// Compiles AssemblyScript to a WebAssembly module that imports its memory.

import asc from 'assemblyscript/asc'

/** The features of each build of the kernels. */
export const features = { 'relaxed-simd': ['simd', 'relaxed-simd'], simd128: ['simd'] } as const

export async function compileAssembly(
  entry: string,
  enabled: readonly string[],
  more: readonly string[] = [],
): Promise<Uint8Array<ArrayBuffer>> {
  // Warning 112 concerns vectors that are passed to the host; these functions pass none.
  const fixed =
    '--runtime stub --importMemory --noExportMemory --maximumMemory 65536 ' +
    '-O3 --converge --noAssert --use abort= --disableWarning 112'
  const options = [...fixed.split(' '), ...enabled.flatMap((feature) => ['--enable', feature])]
  let binary: Uint8Array | undefined
  const { error } = await asc.main([entry, '-o', 'module.wasm', ...options, ...more], {
    writeFile: (_name, contents) => {
      if (typeof contents !== 'string') binary = contents
    },
    stderr: process.stderr,
  })
  if (binary === undefined) throw new Error(`${entry} does not compile`, { cause: error })
  return new Uint8Array(binary)
}
