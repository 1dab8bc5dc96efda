// How the page names an item: a title and an image, read from attributes of the catalog.

import { describeValue } from '../../core/describe-value.ts'
import { RenError } from '../../core/errors.ts'
import type { Attributes } from '../../storage/index.ts'

/**
 * Which attributes hold the title and the image of an item, and from which hosts images may come.
 */
export interface LabelSettings {
  /** Attributes that may hold a title; the first that an item has counts. */
  readonly titleAttributes: readonly string[]
  /** Attributes that may hold the address of an image. */
  readonly imageAttributes: readonly string[]
  /** Hosts from which the page may load images over HTTPS. */
  readonly imageHosts: readonly string[]
}

/** How the dashboard shows an item. */
export interface ItemLabel {
  readonly item: string
  /** Null where the catalog has none; the page then shows the id. */
  readonly title: string | null
  /** Null where there is none, or where the page may not load it. */
  readonly image: string | null
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

/** A path of this server, the image itself, or an address at an allowed host. */
function isLoadable(image: string, hosts: ReadonlySet<string>): boolean {
  if (/^\/(?![/\\])/.test(image) || /^data:image\//i.test(image)) return true
  if (!/^https:\/\//i.test(image) || !URL.canParse(image)) return false
  return hosts.has(new URL(image).host)
}

// Hosts become part of a header, so that nothing else may stand in them.
const hostPattern = /^[a-z\d]([a-z\d.-]*[a-z\d])?(:\d{1,5})?$/i

/** Throws where a host could not stand in the page's content security policy. */
export function requireImageHosts(hosts: readonly string[]): void {
  const wrong = hosts.find((host) => !hostPattern.test(host))
  if (wrong === undefined) return
  throw new RenError(
    'invalid-argument',
    `imageHosts must be names of hosts such as images.example, got ${describeValue(wrong)}`,
  )
}
