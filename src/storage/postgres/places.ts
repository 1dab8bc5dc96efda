// Remembers where the log was read or written, to detect that it does not continue there: after the failover to a
// standby that lacked events, or the restore of an older backup, other events may have the same positions. The stamp
// of an event tells them apart, and stays when its user is erased.

import { RenError } from '../../core/errors.ts'
import type { Position } from '../log-event.ts'

/** The number of places to remember: far more than one reader needs. */
const maxPlaces = 1000

export class Places {
  readonly #stamps = new Map<Position, number>()
  #problem: RenError | null = null

  remember(position: Position, stamp: number): void {
    this.#stamps.delete(position)
    this.#stamps.set(position, stamp)
    const [oldest] = this.#stamps.keys()
    if (this.#stamps.size > maxPlaces) this.#stamps.delete(oldest!)
  }

  /** Undefined if the place is not remembered. */
  stampAt(position: Position): number | undefined {
    return this.#stamps.get(position)
  }

  /** Notes that a write continued the log after an event with another stamp: the next `require` throws. */
  compare(position: Position, stamp: number | null): void {
    const known = this.#stamps.get(position)
    if (known !== undefined && known !== stamp) this.#problem = rewoundAt(position)
  }

  /** Throws `log-rewound` if the event at a remembered place has another stamp, or is gone. */
  require(position: Position, stamp: number | null): void {
    this.compare(position, stamp)
    const problem = this.#problem
    if (problem === null) return
    // Whoever reads again starts from another place.
    this.#stamps.clear()
    this.#problem = null
    throw problem
  }

  /** Throws `log-rewound` if a write has found out. */
  requireIntact(): void {
    this.require(-1, null)
  }
}

const rewoundAt = (position: Position): RenError =>
  new RenError(
    'log-rewound',
    `the log no longer continues after event ${position}: the database has been replaced by an older one, ` +
      'such as a standby that lacked events, or a backup',
  )
