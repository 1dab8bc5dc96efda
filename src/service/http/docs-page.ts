// The page of this interface: one file that asks nobody else for anything, and says so to the browser.

import { hash } from 'node:crypto'

import { docsScript } from './docs-script.ts'

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto; padding: 1rem }
h2 { margin-top: 2rem; text-transform: capitalize }
h3 { margin-bottom: .25rem }
details { border: 1px solid #8885; border-radius: .4rem; margin: .4rem 0; padding: .4rem .8rem }
summary { cursor: pointer; font-family: ui-monospace, monospace }
summary span { font-family: system-ui, sans-serif; opacity: .8 }
summary b { display: inline-block; min-width: 4.5rem }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
td { border-top: 1px solid #8883; padding: .25rem .5rem .25rem 0; vertical-align: top }
code, pre, textarea { font-family: ui-monospace, monospace; font-size: .85rem }
pre { overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere }
textarea { width: 100%; box-sizing: border-box }
.try { display: grid; gap: .5rem; margin: .75rem 0; justify-items: start }
`

interface DocsPage {
  readonly html: string
  /** For the header Content-Security-Policy. */
  readonly policy: string
}

export function docsPage(): DocsPage {
  const source = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`
  return {
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>HTTP interface</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<h1>HTTP interface</h1>
<p><label>Key <input id="key" type="password" autocomplete="off" placeholder="ren_…"></label>
It is needed once there is one, and stays in this page.</p>
<main>Reading /openapi.json …</main>
<script>${docsScript}</script>
</body>
</html>
`,
    policy: [
      "default-src 'none'",
      `script-src ${source(docsScript)}`,
      `style-src ${source(style)}`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  }
}
