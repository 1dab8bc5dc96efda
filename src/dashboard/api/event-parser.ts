// Server-sent events out of a text that comes in pieces.

/** Takes pieces of any lengths, and hands on every event that is whole: its kind, and its data as text. */
export function createEventParser(tell: (kind: string, data: string) => void) {
  let rest = ''
  return (piece: string): void => {
    const events = (rest + piece).split('\n\n')
    rest = events.pop()!
    for (const event of events) {
      const lines = event.split('\n')
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const [kind, data] = [field('event'), field('data')]
      if (kind !== undefined && data !== undefined) tell(kind, data)
    }
  }
}
