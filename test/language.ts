// The banned words of the vocabulary as data, and a checker that finds them in identifiers, file
// names, comments and strings.

/** A banned word and its replacement. */
export interface BannedWord {
  readonly word: string
  readonly use: string
  /** Matches the camel-case parts of an identifier or file name, each between spaces: ` kept slates `. */
  readonly inNames?: RegExp
  /** Matches comments and strings. */
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
  { word: 'most', use: 'max', inNames: /^ most (?!relevant |popular )[a-z]/ },
  { word: 'inWords', use: 'format, describe', inNames: / in words / },
  { word: 'kept', use: 'cache, retain, max', inNames: / kept / },
  { word: 'keep', use: 'cache, retain, max', inNames: / keeps? / },
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
      /\b(?:requests|events|slates|updates|frames|times|calls|rows|bytes|once) an? (?:second|event)\b/i,
  },
]

export interface Found {
  readonly file: string
  readonly line: number
  readonly word: string
  readonly text: string
}

const commentOrString =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

/** The banned words in a source, and in the name of its file. */
export function findBannedWords(file: string, source: string): readonly Found[] {
  const found: Found[] = []
  const lineAt = (at: number): number => source.slice(0, at).split('\n').length
  const add = (at: number, { word }: BannedWord, text: string): void => {
    found.push({ file, line: lineAt(at), word, text })
  }
  const addNames = (pattern: RegExp, text: string, offset: number): void => {
    for (const match of text.matchAll(pattern)) {
      for (const banned of bannedWords) {
        if (banned.inNames?.test(partsOf(match[0]))) add(offset + match.index, banned, match[0])
      }
    }
  }
  addNames(/[^/.]+(?=[^/]*$)/g, file, 0)
  let end = 0
  // A document is one text.
  const texts = file.endsWith('.md') ? /^[^\n]+$/gm : commentOrString
  for (const match of source.matchAll(texts)) {
    addNames(anyName, source.slice(end, match.index), end)
    addNames(compoundName, match[0], match.index)
    for (const banned of bannedWords) {
      const inText = banned.inText?.exec(match[0])
      if (inText) add(match.index + inText.index, banned, inText[0])
    }
    end = match.index + match[0].length
  }
  addNames(anyName, source.slice(end), end)
  return found
}

const anyName = /[a-z_$][\w$]*/gi
const compoundName = /\b[a-z]+(?:[A-Z][a-z]+)+\b/g

/** `keptSlates` and `kept-slates` as ` kept slates `. */
const partsOf = (name: string): string =>
  ` ${name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_$]/g, ' ')
    .toLowerCase()} `
