// Says when the service is out of reach. What was last known stays on the page.

import type { Connection } from '../api/stream.ts'

export function ConnectionBanner({ connection }: { readonly connection: Connection }) {
  return (
    <div role="status" aria-live="polite">
      {connection === 'lost' && (
        <p class="banner">
          The connection to the service is lost. What you see is what was last known; the page comes
          back by itself.
        </p>
      )}
    </div>
  )
}
