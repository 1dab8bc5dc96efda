// The API key that somebody gave to this tab; it is forgotten with the tab.

const place = 'ren-key'
const listeners = new Set<() => void>()

export const keyInUse = (): string => sessionStorage.getItem(place) ?? ''

/** An empty text takes it back. */
export function setKey(key: string): void {
  if (key === '') sessionStorage.removeItem(place)
  else sessionStorage.setItem(place, key)
  for (const listener of listeners) listener()
}

let settled: Promise<unknown> = Promise.resolve()

/** Resolves when no key is being made that whoever asks is going to need. */
export const keySettled = (): Promise<unknown> => settled

/** The first key: from the moment it is there, whoever asks without it is refused. */
export function takeFirstKey(making: Promise<{ readonly key: string }>): void {
  settled = making.then(
    ({ key }) => setKey(key),
    () => {},
  )
}

/** Until the returned function is called. */
export function onKey(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
