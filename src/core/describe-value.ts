// What came, for a message that says what was expected.

/** Any value in a few words; never fails, whatever the value makes of being turned into text. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? 'an array' : 'an object'
    case 'function':
      return 'a function'
    case 'symbol':
      return value.toString()
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value)
    default:
      return 'undefined'
  }
}
