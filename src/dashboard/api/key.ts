// The API key of this tab, stored until the tab closes.

const place = 'ren-key'
const listeners = new Set<() => void>()

export const keyInUse = (): string => sessionStorage.getItem(place) ?? ''

/** An empty string removes it. */
export function setKey(key: string): void {
  if (key === '') sessionStorage.removeItem(place)
  else sessionStorage.setItem(place, key)
  for (const listener of listeners) listener()
}

let settled: Promise<unknown> = Promise.resolve()

/** Resolves when no first key is being created. Requests need that key and wait for it. */
export const keySettled = (): Promise<unknown> => settled

/** Uses the first key as soon as it exists, because requests without it are then refused. */
export function takeFirstKey(making: Promise<{ readonly key: string }>): void {
  settled = making.then(
    ({ key }) => setKey(key),
    () => {},
  )
}

/** Call the returned function to stop. */
export function onKey(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
