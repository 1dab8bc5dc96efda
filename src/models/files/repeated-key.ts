// Finds what JSON.parse passes over in silence: a key that stands twice in one object.

/** The first key that some object of a text, known to be valid JSON, has twice. */
export function repeatedKey(json: string): string | undefined {
  const keysAtDepth: Set<string>[] = []
  let depth = -1
  let stringStart = -1 // −1 outside a string
  let lastString = ''
  // Backslashes occur in strings only, and the match takes what they escape along.
  for (const { 0: token, index } of json.matchAll(/\\.|["{}:]/g)) {
    if (token === '"') {
      if (stringStart >= 0) lastString = json.slice(stringStart, index + 1)
      stringStart = stringStart >= 0 ? -1 : index
    } else if (stringStart >= 0) {
      continue
    } else if (token === '{') {
      depth += 1
      keysAtDepth[depth] = new Set()
    } else if (token === '}') {
      depth -= 1
    } else {
      const key = JSON.parse(lastString) as string
      const keys = keysAtDepth[depth]!
      if (keys.has(key)) return key
      keys.add(key)
    }
  }
  return undefined
}
