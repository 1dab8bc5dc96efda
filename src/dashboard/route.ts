// The current view and its parameters, stored in the URL hash so that every view can be linked.

import { useLayoutEffect, useState } from 'preact/hooks'

type Route = Readonly<{ view: string; params: Readonly<Record<string, string>> }>

export function readRoute(hash: string): Route {
  const [view = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  return { view, params: Object.fromEntries(new URLSearchParams(query)) }
}

/** A URL of the page. Empty parameters are left out. */
export function addressOf(view: string, params: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(params).filter(([, value]) => value !== '')
  const query = new URLSearchParams(given).toString()
  return `#/${view}${query === '' ? '' : `?${query}`}`
}

/** Changes the URL without a new history entry, for sliders and search boxes. */
export function replaceRoute(view: string, params: Readonly<Record<string, string>>): void {
  history.replaceState(null, '', addressOf(view, params))
  dispatchEvent(new HashChangeEvent('hashchange'))
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash))
  // Before any event, so that no change is missed while the page loads.
  useLayoutEffect(() => {
    const follow = (): void => setRoute(readRoute(location.hash))
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return route
}

export const itemAddress = (item: string): string => addressOf('data', { part: 'items', item })
export const userAddress = (user: string): string => addressOf('data', { part: 'users', user })
export const recommendationAddress = (id: string): string =>
  addressOf('data', { part: 'recommendation', id })

/** The properties of a view: the parameters after the ? of its URL. */
export type ViewProps = Pick<Route, 'params'>
