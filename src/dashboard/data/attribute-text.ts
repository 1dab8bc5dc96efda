// The value of an attribute in words.

import type { ItemInfo } from '../../service/index.ts'

type Value = ItemInfo['attributes'][string]

export function attributeText(value: Value): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return Array.isArray(value) ? value.join(', ') : String(value)
}
