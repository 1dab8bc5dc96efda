// The settings of a service and their defaults.

import { RenError } from '../core/errors.ts'
import { methodOf, methodSettings, type MethodSettings } from '../recommender/index.ts'
import type { EventStore } from '../storage/index.ts'
import type { ExcludeSeen } from './serving/request-options.ts'

/**
 * A twentieth of all slots, the last of every second slate of ten, is for items with few impressions;
 * twice as many in a cold catalog.
 */
export const explorationDefaults = {
  explorationWeight: 0.1,
  exploratoryShare: 0.05,
  coldExploratoryShare: 0.1,
  newItemWeight: 45,
  uncertainty: 'trial',
} as const

interface Variant {
  readonly method: string
  readonly settings: MethodSettings
}

/**
 * Fills in the exploration defaults. Variants with absolute weights (`diversityWeight`,
 * `uncertaintyWeight`) explore on another scale and stay as they are.
 */
export function withExplorationDefaults<Given extends Variant>(
  variants: readonly Given[],
  models: 'own' | 'shared',
): readonly Given[] {
  const { uncertainty, ...ofPolicy } = explorationDefaults
  // The uncertainty estimator belongs to the shared model.
  const isShared = models === 'shared' && variants.some(hasDefaults)
  return variants.map((variant) => ({
    ...variant,
    settings: {
      ...(hasDefaults(variant) && { ...ofPolicy, ...ownShares(variant) }),
      ...((isShared || hasDefaults(variant)) && { uncertainty }),
      ...variant.settings,
    },
  }))
}

/** A variant that sets the share sets it for a cold catalog too. */
const ownShares = ({ settings: { exploratoryShare: share } }: Variant): MethodSettings =>
  share === undefined ? {} : { exploratoryShare: share, coldExploratoryShare: share }

function hasDefaults({ method, settings }: Variant): boolean {
  const { settings: ofMethod = {} } = methodOf(method)
  const isAbsolute = ['diversityWeight', 'uncertaintyWeight'].some(
    (name) => name in settings || name in ofMethod,
  )
  return !isAbsolute && 'explorationWeight' in methodSettings(method).policy
}

/** Settings of {@link openService}. Only `store` is required. */
export interface ServiceSettings {
  /** The path of a store, which is created if it does not exist, or an open store. */
  readonly store: string | EventStore
  /** Defaults to one variant: REN on GRU4Rec for all users. */
  readonly variants?: readonly VariantSettings[]
  /**
   * `own`, the default, gives each variant its own model, counts and training examples. `shared`
   * compares policies over one model. That measures only the immediate reward, since each policy
   * profits from the exploration of the others.
   */
  readonly models?: 'own' | 'shared'
  /**
   * `blend`, the default, adds transition memory, popularity and click rates to the model's
   * relevance, weighted by how well they rank. `model` uses the model alone.
   */
  readonly relevance?: 'blend' | 'model'
  /**
   * A model file to serve from the start. A store imports the same file only once, so a restart keeps
   * the weights that were learned since. All variants must have its architecture.
   */
  readonly modelFile?: Uint8Array
  /** Determines the variant of each user and all random choices. Defaults to `ren`. */
  readonly seed?: number | string
  /** Whether a slate counts as shown when it is `served` (the default) or `confirmed`. */
  readonly impressions?: 'served' | 'confirmed'
  /** Milliseconds until a shown item without interaction has reward 0. Defaults to 30 minutes. */
  readonly attributionWindow?: number
  /** The default of requests. Defaults to `auto`. */
  readonly excludeSeen?: ExcludeSeen
  readonly learning?: Partial<Omit<LearningSettings, 'fullTraining'>> & {
    readonly fullTraining?: Partial<FullTrainingSettings>
  }
  readonly snapshots?: Partial<SnapshotSettings>
  /** Limits the data of each user in memory. The log retains everything. */
  readonly maxPerUser?: Partial<MaxPerUser>
  /** Skips damaged events, each with a log message, instead of refusing to start. */
  readonly skipDamaged?: boolean
  /** Milliseconds since 1970; may go backwards. Defaults to `Date.now`. */
  readonly clock?: () => number
  /** Receives messages for the operator. Defaults to writing them to standard error. */
  readonly onLogMessage?: LogHandler
}

/** A variant of an A/B test: a method, and its share of the users. */
export interface VariantSettings {
  readonly name: string
  /** The share of users, relative to the other variants. Defaults to 1. */
  readonly share?: number
  /** A method by name: an alias such as `ren-g`, or model+policy. */
  readonly method: string
  /** With blended relevance, exploration settings default to those of the default variant. */
  readonly settings?: MethodSettings
}

/** When a service fine-tunes its models, and when it rejects an update. */
export interface LearningSettings {
  /** False disables fine-tuning and full training. */
  readonly enabled: boolean
  /** An update runs after this many events, or this many seconds if there are new events. */
  readonly everyEvents: number
  readonly everySeconds: number
  /** Maximum number of users with new events per update; the others wait for the next. */
  readonly maxUsers: number
  /** The share of users with new events that are held out to evaluate an update. */
  readonly holdOut: number
  /** An update is refused if it multiplies the loss of held-out users by more than this. */
  readonly tolerance: number
  readonly fullTraining: FullTrainingSettings
}

/**
 * When a service trains over the whole log in the background. Only models with a ranking or softmax
 * loss can do so.
 */
export interface FullTrainingSettings {
  /** Whether the service starts runs by itself. */
  readonly enabled: boolean
  /** Seconds between two checks whether a run is due. */
  readonly everySeconds: number
  /** The number of interactions that a model group needs for a run. */
  readonly minInteractions: number
  /** The share of the interactions that must be new since the last run. */
  readonly growth: number
  /** Maximum number of epochs per run. A run that no longer improves ends earlier. */
  readonly maxEpochs: number
  /** Minimum number of seconds between two checkpoints, which are saved at the end of an epoch. */
  readonly checkpointSeconds: number
}

/** When a service saves its state, and how many states and model versions it retains. */
export interface SnapshotSettings {
  /** State is saved after this many events, or this many seconds if there are new events. */
  readonly everyEvents: number
  readonly everySeconds: number
  readonly maxStates: number
  /** The newest and the oldest versions are retained, and those in between ever more sparsely. */
  readonly maxModelVersions: number
}

/** How many interactions and impressions of each user a service retains in memory. */
export interface MaxPerUser {
  readonly history: number
  readonly impressions: number
}

/** A message for the operator. */
export interface LogMessage {
  readonly level: 'info' | 'warning' | 'error'
  readonly message: string
  /** The code of the RenError that caused the message, if any. */
  readonly code?: string
}

/** Receives messages for the operator of a service. */
export type LogHandler = (logMessage: LogMessage) => void

export const defaults = {
  variants: [
    {
      name: 'ren',
      method: 'ren-g',
      settings: { dimension: 64, window: 200, decoderScale: 1, ...explorationDefaults },
    },
  ],
  models: 'own',
  relevance: 'blend',
  seed: 'ren',
  impressions: 'served',
  attributionWindow: 30 * 60_000,
  excludeSeen: 'auto',
  learning: {
    enabled: true,
    everyEvents: 200,
    everySeconds: 5,
    maxUsers: 64,
    holdOut: 0.1,
    tolerance: 1.2,
    fullTraining: {
      enabled: true,
      everySeconds: 5,
      minInteractions: 1000,
      growth: 0.2,
      maxEpochs: 1000,
      checkpointSeconds: 30,
    },
  },
  snapshots: { everyEvents: 50_000, everySeconds: 300, maxStates: 2, maxModelVersions: 10 },
  maxPerUser: { history: 1000, impressions: 2000 },
} as const satisfies Partial<ServiceSettings>

/** A log message about an error, with its code. */
export function errorMessage(level: 'warning' | 'error', what: string, error: unknown): LogMessage {
  const reason = error instanceof Error ? error.message : String(error)
  const code = error instanceof RenError && { code: error.code }
  return { level, message: `${what}: ${reason}`, ...code }
}

/** Runs work whose failure is only a warning. */
export async function warnOnFailure(
  logMessage: LogHandler,
  what: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    logMessage(errorMessage('warning', what, error))
  }
}

/** The default handler of log messages. */
export function writeLogMessage({ level, message }: LogMessage): void {
  process.stderr.write(`ren: ${level}: ${message}\n`)
}

/** Wraps a handler so that it never throws. If it fails, the message goes to standard error. */
export function safeLogging(onLogMessage: LogHandler): LogHandler {
  return (logMessage) =>
    void Promise.try(onLogMessage, logMessage).catch(() => writeLogMessage(logMessage))
}
