// The banned words of the vocabulary as data, and a checker that finds them in paths, in names
// (`keptSlates`, `kept-slates`, `ren_kept_slates`), in comments and strings, and in the text of pages.

/** A banned word and its replacement. */
export interface BannedWord {
  readonly word: string
  readonly use: string
  /** Matches the parts of a name, each between spaces: ` kept slates `. */
  readonly inNames?: RegExp
  /** Matches comments, strings, documents and the text of pages. A space matches a line break too. */
  readonly inText?: RegExp
}

export const bannedWords: readonly BannedWord[] = [
  { word: 'told', use: 'reported', inNames: / told /, inText: /\btold\b/i },
  { word: 'untold', use: 'unreported', inNames: / untold /, inText: /\buntold\b/i },
  { word: 'telling', use: 'reporting', inNames: / telling /, inText: /\btelling\b/i },
  { word: 'heard', use: 'received', inNames: / heard /, inText: /\bheard\b/i },
  { word: 'way back', use: 'rollback, checkpoint', inNames: / way back /, inText: /\bway back\b/i },
  { word: 'face', use: 'api, interface', inNames: /[a-z] face / },
  { word: 'nobody', use: 'none, noUser, unknownUser', inNames: / nobody / },
  { word: 'neverMet', use: 'say what is absent', inNames: / never met / },
  { word: 'most', use: 'max', inNames: /(?<! at) most (?!relevant |popular )[a-z]/ },
  { word: 'inWords', use: 'format, describe', inNames: / in words / },
  { word: 'kept', use: 'cache, retain, max', inNames: / kept / },
  { word: 'keep', use: 'cache, retain, max', inNames: / keeps? (?!alive )/ },
  { word: 'anew', use: 'again, from scratch', inNames: / anew /, inText: /\banew\b/i },
  { word: 'lesson', use: 'training example', inNames: / lessons? /, inText: /\blessons?\b/i },
  { word: 'news', use: 'users with new events', inNames: / news /, inText: /\bnews\b/i },
  { word: 'story', use: 'user timeline', inNames: / story /, inText: /\bstory\b/i },
  { word: 'notice', use: 'warning, log message', inNames: / notices? /, inText: /\bnotices?\b/i },
  { word: 'standing model', use: 'served model', inText: /\bstanding model\b/i },
  { word: 'made', use: 'generated', inNames: / made /, inText: /\bmade data\b|\bmake-data\b/i },
  {
    word: 'demonstration',
    use: 'demo',
    inNames: / demonstration /,
    inText: /\bdemonstration\b/i,
  },
  { word: 'unless set', use: 'defaults to', inText: /\bunless (?:set|said)\b/i },
  { word: 'what came of it', use: 'rewrite the sentence', inText: /\bwhat came of it\b/i },
  { word: 'of whom', use: 'rewrite the sentence', inText: /\bof whom\b/i },
  { word: 'what holds of', use: 'rewrite the sentence', inText: /\bwhat holds of\b/i },
  { word: 'what is known of', use: 'rewrite the sentence', inText: /\bwhat is known of\b/i },
  {
    word: 'a second, an event (per)',
    use: 'per second, per event',
    inText:
      /\b(?:requests|events|slates|updates|frames|times|calls|rows|bytes|once|CPU|scripting|seconds|milliseconds|µs|ms|MB|kB|operations) an? (?:second|event|request|frame|step|user)\b/i,
  },
]

export interface Found {
  readonly file: string
  readonly line: number
  readonly word: string
  readonly text: string
}

const commentOrString =
  /\/\/[^\n]*(?:\n\s*\/\/[^\n]*)*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

const paragraph = /[^\n]+(?:\n[^\n]+)*/g

/** The text of elements in JSX, between tags and braces. */
const pageText = /(?<=[>}])[^<>{}]+(?=[<{])/g

/** The banned words in a source, and in the path of its file. */
export function findBannedWords(file: string, source: string): readonly Found[] {
  const found: Found[] = []
  const lineAt = (at: number): number => source.slice(0, at).split('\n').length
  const add = (at: number, { word }: BannedWord, text: string): void => {
    found.push({ file, line: lineAt(at), word, text })
  }
  const addNames = (pattern: RegExp, text: string, offset: number): void => {
    for (const match of text.matchAll(pattern)) {
      for (const banned of bannedIn(match[0])) add(offset + match.index, banned, match[0])
    }
  }
  const addText = (text: string, offset: number): void => {
    for (const [pattern, banned] of textPatterns) {
      for (const match of text.matchAll(pattern)) add(offset + match.index, banned, match[0])
    }
  }
  addNames(/[^/.]+/g, file, 0)
  let end = 0
  const texts = file.endsWith('.md') ? paragraph : commentOrString
  for (const match of source.matchAll(texts)) {
    addNames(anyName, source.slice(end, match.index), end)
    addNames(nameInText, match[0], match.index)
    addText(match[0], match.index)
    end = match.index + match[0].length
  }
  addNames(anyName, source.slice(end), end)
  if (file.endsWith('.tsx')) {
    for (const match of source.matchAll(pageText)) addText(match[0], match.index)
  }
  return found
}

const textPatterns = bannedWords.flatMap((banned) =>
  banned.inText
    ? [[new RegExp(banned.inText.source.replaceAll(' ', '[\\s/*]+'), 'gi'), banned] as const]
    : [],
)

const anyName = /[a-z_$][\w$]*/gi

/**
 * Names in text: compounds (`keptSlates`, `kept-slates`, `ren_kept_slates`), flags (`--keep`), parts
 * of a path (`/v1/keeps`) and strings of one word (`'kept'`).
 */
const nameInText = new RegExp(
  [
    /\b[a-z]+(?:[A-Z][a-z]+)+\b/,
    /\b[a-z]+(?:[-_][a-z]+)+\b/,
    /(?<=--)[a-z]+\b/,
    /(?<=\/)[a-z]+\b/,
    /(?<=^['"`])[a-z]+(?=['"`]$)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

/** The banned words in a name. The same names occur in many files, so each result is cached. */
function bannedIn(name: string): readonly BannedWord[] {
  let found = inNames.get(name)
  if (found === undefined) {
    const parts = partsOf(name)
    found = bannedWords.filter((banned) => banned.inNames?.test(parts))
    inNames.set(name, found)
  }
  return found
}

const inNames = new Map<string, readonly BannedWord[]>()

/** `keptSlates` and `kept-slates` as ` kept slates `. */
const partsOf = (name: string): string =>
  ` ${name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_$]/g, ' ')
    .toLowerCase()} `
