// Listeners by key.

export function createListeners<Listener>() {
  const all = new Map<string, Set<Listener>>()
  return {
    of: (key: string): Iterable<Listener> => all.get(key) ?? [],
    /** Call the returned function to stop. */
    add(key: string, listener: Listener): () => void {
      const some = all.get(key) ?? new Set()
      all.set(key, some.add(listener))
      return () => {
        some.delete(listener)
        if (some.size === 0) all.delete(key)
      }
    },
  }
}
