// Shows when the service is unreachable. The page retains the last data.

import type { Connection } from '../api/stream.ts'

export function ConnectionBanner({ connection }: { readonly connection: Connection }) {
  return (
    <div role="status" aria-live="polite">
      {connection === 'lost' && (
        <p class="banner">
          The connection to the service is lost. The page shows the last data and reconnects
          automatically.
        </p>
      )}
    </div>
  )
}
