// Formats the attributes of an item.

import type { ItemInfo } from '../../service/index.ts'

/** An image attribute can have thousands of characters. */
const maxLength = 200

type Attributes = ItemInfo['attributes']

export const attributeWords = (attributes: Attributes): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, words(value)]))

function words(value: Attributes[string]): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = Array.isArray(value) ? value.join(', ') : String(value)
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}
