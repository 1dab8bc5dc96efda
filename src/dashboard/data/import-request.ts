// From a file to what the service takes as an import, or why it cannot be one.

export interface ImportRequest {
  readonly name: string
  readonly format: 'csv' | 'jsonl'
  readonly text: string
}

/** Of a body, as the service has it. */
export const mostBytes = 32 * 2 ** 20

const formats: Readonly<Record<string, ImportRequest['format']>> = {
  csv: 'csv',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
}

/** By the ending of the name; null where it has none of these. */
export function formatOf(name: string): ImportRequest['format'] | null {
  const ending = name.toLowerCase().split('.').at(-1)
  return Object.hasOwn(formats, ending) ? formats[ending]! : null
}

/** What is wrong with a file before it is read; empty where nothing is. */
export function refusalOf({ name, size }: Pick<File, 'name' | 'size'>): string {
  if (formatOf(name) === null) {
    return `${name}: expected a name that ends in .csv, .jsonl or .ndjson.`
  }
  if (size > mostBytes) return `${name} is larger than an import may be; ren import takes it.`
  return size === 0 ? `${name} is empty.` : ''
}

/** Bytes of the body, which has the text in quotes and is larger than the file. */
export const sizeOf = (request: ImportRequest): number => new Blob([JSON.stringify(request)]).size
