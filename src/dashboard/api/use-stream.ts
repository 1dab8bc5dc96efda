// The stream of the page, for any component.

import { createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'

import type { Connection, LiveStream, StreamEvents, StreamKind } from './stream.ts'

export const StreamContext = createContext<LiveStream | null>(null)

export function useStream(): { readonly stream: LiveStream; readonly connection: Connection } {
  const stream = useContext(StreamContext)!
  const [connection, setConnection] = useState(stream.connection)
  useEffect(() => {
    setConnection(stream.connection)
    return stream.onConnection(setConnection)
  }, [stream])
  return { stream, connection }
}

/** Calls the latest listener while the component is mounted. */
export function useStreamEvents<Kind extends StreamKind>(
  kind: Kind,
  listener: (data: StreamEvents[Kind]) => void,
): void {
  const { stream } = useStream()
  const newest = useRef(listener)
  newest.current = listener
  useEffect(() => stream.on(kind, (data) => newest.current(data)), [stream, kind])
}
