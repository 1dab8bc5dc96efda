// Which folder may import which, and which globals are forbidden in portable folders: the table, and the
// checker that architecture.test.ts runs over src and paper.

import { posix } from 'node:path'

/** The imports and globals that the files of a folder of src, or of paper, may use. */
export interface Rule {
  /** Other folders of src. No folder of src lists `paper`. */
  readonly imports: readonly string[]
  /** Whether Node's built-in modules are allowed. */
  readonly node: boolean
  readonly packages: readonly string[]
  /** Folders from which only types may be imported. */
  readonly types?: readonly string[]
  /** Portable: runs in Node and in browsers, and receives clocks and random streams as arguments. */
  readonly pure: boolean
}

const pure = (...imports: string[]): Rule => ({ imports, node: false, packages: [], pure: true })
const rim = (imports: string[], ...packages: string[]): Rule => ({
  imports,
  node: true,
  packages,
  pure: false,
})

// index.ts, the main entry point, is listed like a folder.
const library = ['core', 'kernels', 'models', 'exploration', 'relevance', 'recommender']
const rest = ['simulation', 'evaluation', 'datasets', 'storage', 'experiments', 'service', 'node']

export const rules: Readonly<Record<string, Rule>> = {
  'index.ts': pure(...library),
  core: pure(),
  kernels: pure('core'),
  models: pure('core', 'kernels'),
  exploration: pure('core', 'kernels'),
  relevance: pure('core'),
  recommender: pure('core', 'kernels', 'models', 'exploration', 'relevance'),
  simulation: pure('core', 'recommender'),
  evaluation: pure('core'),
  datasets: rim(['core']),
  storage: rim(['core', 'node'], 'pg'),
  experiments: rim([...library, 'simulation', 'datasets', 'node'], 'typebox'),
  service: rim(
    ['core', 'kernels', 'exploration', 'relevance', 'recommender', 'storage', 'node'],
    'fastify',
    '@fastify/type-provider-typebox',
    'typebox',
    'prom-client',
  ),
  dashboard: {
    imports: ['core', 'kernels', 'recommender', 'simulation'],
    types: ['service', 'experiments', 'cli'],
    node: false,
    packages: ['preact', 'd3-quadtree', 'd3-selection', 'd3-zoom', 'swagger-ui-dist'],
    pure: false,
  },
  node: rim(['core', 'kernels']),
  cli: rim([...library, ...rest], 'commander'),
  paper: rim(
    [...library, 'simulation', 'datasets', 'experiments', 'cli'],
    'typebox',
    '@observablehq/plot',
    'happy-dom',
    '@resvg/resvg-js',
  ),
}

/** AssemblyScript is another language and may import only itself. */
const assembly = 'kernels/assembly'

const forbidden: readonly (readonly [what: string, pattern: RegExp])[] = [
  // Math as a whole too, because destructuring it would hide `random`.
  ['Math.random', /\bMath\b(?!\s*\.\s*(?!random\b)\w)/],
  ['crypto', /(?<![.\w$'])crypto\b(?!\s*:)/],
  ['Date', /(?<![.\w$'])Date\b(?!\s*:)/],
  ['performance', /(?<![.\w$'])performance\b(?!\s*:)/],
  ['process', /(?<![.\w$'])process\b(?!\s*:)/],
  ['Buffer', /(?<![.\w$'])Buffer\b(?!\s*:)/],
  ['fetch', /(?<![.\w$'])fetch\s*\(/],
  ['globalThis', /\bglobalThis\b/],
  ['require', /(?<![.\w$'])require\s*\(/],
  ['an import that is not a literal', /\bimport\s*\(\s*(?!['"`\s])/],
]

/** The violations of a file; `path` is relative to src, also that of a file of paper. */
export function violations(path: string, source: string): string[] {
  const folder = folderOf(path)
  const rule = rules[folder]
  if (!rule) return [`${path}: the folder ${folder} is not in the import table`]
  const code = withoutComments(source)
  const imported = importsOf(withoutTypeImports(path, code, rule)).flatMap((specifier) =>
    isRelative(specifier) ? refuseFile(path, specifier, rule) : refuseModule(path, specifier, rule),
  )
  const exempt = !rule.pure || isTest(path) || path.startsWith(assembly)
  const used = exempt ? [] : globalsOf(code)
  return [...imported, ...used].map((what) => `${path}: ${folder} may not use ${what}`)
}

/** Every module that a source imports, re-exports, loads dynamically or starts as a worker. */
export function importsOf(code: string): string[] {
  const patterns = [
    /(?:^|;)\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm,
    /(?:^|;)\s*import\s*['"]([^'"]+)['"]/gm,
    /\bimport\s*\(\s*['"`]([^'"`]+)['"`]/g,
    /\bnew\s+URL\(\s*['"`]([^'"`]+)['"`]\s*,\s*import\.meta\.url/g,
  ]
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1]!))
}

/** Removes statements that import only types from folders where the rule allows it. */
const withoutTypeImports = (path: string, code: string, { types = [] }: Rule): string =>
  code.replace(
    /^import type\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm,
    (statement, specifier: string) =>
      types.includes(folderOf(targetOf(path, specifier))) ? '' : statement,
  )

/** The imported file, relative to src. */
const targetOf = (path: string, specifier: string): string =>
  posix.join(posix.dirname(path), specifier).replace(/^\.\.\/src\//, '')

/** The folder of src, `paper`, or `..` for other files of the checkout. */
const folderOf = (path: string): string => path.replace(/^\.\.\/paper\//, 'paper/').split('/')[0]!

// Tests are not published and run in Node. They may use any module, but within src only those that
// their folder may import, and src/node.
const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path)

const isRelative = (specifier: string): boolean => /^\.{0,2}\//.test(specifier)

function refuseFile(path: string, specifier: string, rule: Rule): string[] {
  const target = targetOf(path, specifier)
  // The manifest of the package, for its version.
  if (rule.node && target === '../package.json') return []
  const [from, to] = [folderOf(path), folderOf(target)]
  const allowed = [from, ...rule.imports, ...(isTest(path) ? ['..', 'node'] : [])].includes(to)
  // No other folder may import the assembly either: its compiled modules are loaded, not imported.
  const crossesAssembly = path.startsWith(assembly) !== target.startsWith(assembly)
  return allowed && !crossesAssembly ? [] : [target]
}

function refuseModule(path: string, specifier: string, rule: Rule): string[] {
  if (isTest(path)) return []
  if (specifier.startsWith('node:')) return rule.node ? [] : [specifier]
  const parts = specifier.split('/')
  const name = parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
  return rule.packages.includes(name) ? [] : [specifier]
}

const globalsOf = (code: string): string[] =>
  forbidden.filter(([, pattern]) => pattern.test(withoutStrings(code))).map(([what]) => what)

const token = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g

const withoutComments = (source: string): string =>
  source.replace(token, (text) => (text.startsWith('/') ? ' ' : text))

// Templates stay, because they can contain code.
const withoutStrings = (code: string): string =>
  code.replace(token, (text) => (text.startsWith('`') ? text : "''"))
