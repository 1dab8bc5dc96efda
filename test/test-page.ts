// A minimal page for tests that only need a page to be served.

import type { TemporaryFiles } from './temporary-files.ts'

export const pageScript = "document.title = 'made for tests'\n".repeat(50)

/** A folder with the layout of a built dashboard. */
export function testPage({ folder, write }: TemporaryFiles): string {
  write('<!doctype html><title>the page</title>', 'page/index.html')
  write('<!doctype html><title>the playground</title>', 'page/playground.html')
  write('<!doctype html><title>the API reference</title>', 'page/docs.html')
  write(pageScript, 'page/assets/x.js')
  write('body { margin: 0 }', 'page/assets/x.css')
  write('<svg xmlns="http://www.w3.org/2000/svg"/>', 'page/assets/x.svg')
  write(new Uint8Array([0, 97, 115, 109]), 'page/assets/x.wasm')
  write('not for the page', 'page/assets/notes.txt')
  write('not in the page', 'secret.js')
  return `${folder}/page`
}
