// Checks a file and converts it into an import request.

export interface ImportRequest {
  readonly name: string
  readonly format: 'csv' | 'jsonl'
  readonly text: string
}

/** The limit of the service for a body. */
export const maxBytes = 32 * 2 ** 20

const formats: Readonly<Record<string, ImportRequest['format']>> = {
  csv: 'csv',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
}

/** By file extension; null if unknown. */
export function formatOf(name: string): ImportRequest['format'] | null {
  const ending = name.toLowerCase().split('.').at(-1)
  return Object.hasOwn(formats, ending) ? formats[ending]! : null
}

/** Why a file cannot be imported, before it is read; empty if it can. */
export function refusalOf({ name, size }: Pick<File, 'name' | 'size'>): string {
  if (formatOf(name) === null) {
    return `${name}: expected a name that ends in .csv, .jsonl or .ndjson.`
  }
  if (size > maxBytes) return `${name} is larger than the limit of an import; use ren import.`
  return size === 0 ? `${name} is empty.` : ''
}

/** Bytes of the body. JSON quoting makes it larger than the file. */
export const sizeOf = (request: ImportRequest): number => new Blob([JSON.stringify(request)]).size
