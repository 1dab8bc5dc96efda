// Describes a received value for an error message.

/**
 * Describes any value in a few words. Never throws, because it does not call the value's methods.
 */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return String(value)
  if (!Array.isArray(value)) return 'an object'
  return value.length === 0 ? 'an empty array' : 'an array'
}
