// The composition root of the service: opens what it works with, in order, and closes it again.

import { RenError } from '../core/errors.ts'
import { createEngine } from '../kernels/index.ts'
import type { Engine } from '../kernels/index.ts'
import { openSqliteStore } from '../storage/index.ts'
import type { EventStore } from '../storage/index.ts'
import { createSplit } from './arms.ts'
import { createCatalogueAttributes } from './catalogue-attributes.ts'
import { completeSettings, noticesOf } from './complete-settings.ts'
import type { CompleteSettings } from './complete-settings.ts'
import { createFilterRows } from './filter-rows.ts'
import { createFold } from './fold.ts'
import { createFollower } from './follower.ts'
import { createJournal } from './journal.ts'
import { createListeners } from './listeners.ts'
import type { Listeners } from './listeners.ts'
import { createLiveState } from './live-state.ts'
import { readCatalogue } from './read-catalogue.ts'
import { restoreGroups } from './restore.ts'
import type { Service } from './service.ts'
import { createServiceFace } from './service-face.ts'
import type { ServiceParts } from './service-parts.ts'
import type { Notice, ServiceSettings } from './settings.ts'
import { startStandingModel } from './standing-model.ts'

/** Resolves when it can serve: the log up to its head is known by then. */
export async function openService(settings: ServiceSettings): Promise<Service> {
  const complete = completeSettings(settings)
  const listeners = createListeners()
  const notice = (told: Notice): void => {
    complete.onNotice(told)
    listeners.tell({ kind: 'notice', notice: told })
  }
  for (const told of noticesOf(complete)) notice(told)
  const release = await takeStore(complete)
  try {
    return await openOn(release.store, complete, listeners, notice, release)
  } catch (error) {
    await release()
    throw error
  }
}
