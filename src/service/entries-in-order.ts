// Settings that are equal have one text, whatever order they were written in.

export function entriesInOrder<T>(values: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
