// The titles and images of items in the dashboard, from the attributes of the catalog.

import { describeValue } from '../../core/describe-value.ts'
import { invalid } from '../../core/errors.ts'
import type { Attributes } from '../../storage/index.ts'
import type { ItemLabel } from '../schemas/items.ts'

/** Which attributes contain the title and the image of an item, and the allowed hosts of images. */
export interface LabelSettings {
  /**
   * Attributes that may contain the title, in order of preference. Defaults to `title` and `name`.
   */
  readonly titleAttributes: readonly string[]
  /**
   * Attributes that may contain the address of an image, in order of preference. Defaults to
   * `image`.
   */
  readonly imageAttributes: readonly string[]
  /** Hosts from which the dashboard may load images over HTTPS. Defaults to none. */
  readonly imageHosts: readonly string[]
}

export const labelDefaults: LabelSettings = {
  titleAttributes: ['title', 'name'],
  imageAttributes: ['image'],
  imageHosts: [],
}

export type Labels = (item: string, attributes: Attributes) => ItemLabel

export function createLabels(settings: LabelSettings): Labels {
  const { titleAttributes, imageAttributes } = settings
  const hosts = new Set(settings.imageHosts.map((host) => host.toLowerCase()))
  return (item, attributes) => {
    const image = firstText(attributes, imageAttributes)
    return {
      item,
      title: firstText(attributes, titleAttributes),
      image: image !== null && isLoadable(image, hosts) ? image : null,
    }
  }
}

function firstText(attributes: Attributes, names: readonly string[]): string | null {
  for (const name of names) {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined
    if (typeof value === 'number') return String(value)
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return null
}

/** Allows paths of this server, data URLs, and addresses of allowed hosts. */
function isLoadable(image: string, hosts: ReadonlySet<string>): boolean {
  if (/^\/(?![/\\])/.test(image) || /^data:image\//i.test(image)) return true
  if (!/^https:\/\//i.test(image) || !URL.canParse(image)) return false
  return hosts.has(new URL(image).host)
}

// Hosts become part of the Content-Security-Policy header.
const hostPattern = /^[a-z\d]([a-z\d.-]*[a-z\d])?(:\d{1,5})?$/i

export function requireImageHosts(hosts: readonly string[]): void {
  const wrong = hosts.find((host) => !hostPattern.test(host))
  if (wrong === undefined) return
  throw invalid(`imageHosts must be host names such as images.example, got ${describeValue(wrong)}`)
}
