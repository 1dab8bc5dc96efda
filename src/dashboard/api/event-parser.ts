// Parses server-sent events from chunks of text.

/** Accepts chunks of any length and emits the kind and the data of every complete event. */
export function createEventParser(emit: (kind: string, data: string) => void) {
  let rest = ''
  return (piece: string): void => {
    const events = (rest + piece).split('\n\n')
    rest = events.pop()!
    for (const event of events) {
      const lines = event.split('\n')
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const [kind, data] = [field('event'), field('data')]
      if (kind !== undefined && data !== undefined) emit(kind, data)
    }
  }
}
