// The settings of a service and their defaults.

import { RenError } from '../core/errors.ts'
import { flag, numberWithin, share, withDefaults } from '../core/settings.ts'
import type { Settings, SettingsInput } from '../core/settings.ts'
import { usualWeight } from '../exploration/exploration-weight.ts'
import { methodOf, type MethodSettings } from '../recommender/index.ts'
import type { EventStore } from '../storage/index.ts'
import type { ExcludeSeen } from './serving/request-options.ts'

/**
 * A twentieth of all slots, the last of every second slate of ten, is for items with few impressions;
 * twice as many in a cold catalog. New items get five times the bonus that they need.
 */
export const explorationDefaults = {
  explorationWeight: usualWeight,
  exploratoryShare: 0.05,
  coldExploratoryShare: 0.1,
  newItemWeight: 5,
  uncertainty: 'trial',
} as const

/**
 * The same for the policy `hierarchical`. As few slots explore, so that slates whose clicks are never
 * reported, such as those that a crawler requests, hardly lower its quality.
 */
export const hierarchicalDefaults = {
  exploratoryShare: explorationDefaults.exploratoryShare,
  coldExploratoryShare: explorationDefaults.coldExploratoryShare,
  rewardSource: 'slates',
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
      ...(isHierarchical(variant) && { ...hierarchicalDefaults, ...ownShares(variant) }),
      ...((isShared || hasDefaults(variant)) && { uncertainty }),
      ...variant.settings,
    },
  }))
}

const isHierarchical = ({ method }: Variant): boolean => methodOf(method).policy === 'hierarchical'

/** A variant that sets the share sets it for a cold catalog too. */
const ownShares = ({ settings: { exploratoryShare } }: Variant): MethodSettings =>
  exploratoryShare === undefined ? {} : { exploratoryShare, coldExploratoryShare: exploratoryShare }

function hasDefaults({ method, settings }: Variant): boolean {
  const { settings: ofMethod = {} } = methodOf(method)
  const isAbsolute = ['diversityWeight', 'uncertaintyWeight'].some(
    (name) => name in settings || name in ofMethod,
  )
  return !isAbsolute && methodOf(method).policy === 'ren'
}

const count = numberWithin('integer', { minimum: 1, infinite: true })
const seconds = numberWithin('number', { minimum: 0.001, infinite: true })

/** The schemas of the settings in sections (docs/settings.md). */
export const sections = {
  learning: {
    enabled: flag('False disables fine-tuning and full training', true),
    everyEvents: count('Train after this many events', 200),
    everySeconds: seconds('Train after this many seconds, if there are new events', 5),
    maxUsers: count('Maximum number of users with new events per update', 64),
    holdOut: numberWithin('number', { minimum: 0, maximum: 0.9 })(
      'Share of users with new events who are held out to evaluate an update',
      0.1,
    ),
    tolerance: numberWithin('number', { minimum: 0, infinite: true })(
      'Refuse an update if the loss of held-out users exceeds this multiple of the previous loss',
      1.2,
    ),
  },
  fullTraining: {
    enabled: flag('Whether the service starts runs by itself', true),
    everySeconds: seconds('Seconds between two checks whether a run is due', 5),
    minInteractions: count('Number of interactions that a model group needs for a run', 1000),
    growth: share('Share of the interactions that must be new since the last run', 0.2),
    maxEpochs: count(
      'Maximum number of epochs per run; a run that no longer improves ends earlier',
      1000,
    ),
    maxThreads: count(
      'Maximum number of threads of a run, limited by the cores; one fewer while requests arrive',
      Infinity,
    ),
    checkpointSeconds: numberWithin('number', { minimum: 0, infinite: true })(
      'Minimum number of seconds between two checkpoints, each saved at the end of an epoch',
      30,
    ),
  },
  snapshots: {
    everyEvents: count('Save the state after this many events', 50_000),
    everySeconds: seconds('Save the state after this many seconds, if there are new events', 300),
    maxStates: numberWithin('integer', { minimum: 1, maximum: 1000 })(
      'Maximum number of retained snapshots',
      2,
    ),
    maxModelVersions: numberWithin('integer', { minimum: 1, maximum: 100_000 })(
      'Maximum number of retained model versions: the newest, the oldest, and ever fewer in between',
      10,
    ),
  },
  maxPerUser: {
    history: count('Maximum number of interactions per user in memory', 1000),
    impressions: count('Maximum number of impressions per user in memory', 2000),
  },
} as const

/** When a service trains over the whole log in the background. */
export type FullTrainingSettings = Settings<typeof sections.fullTraining>

/** How many interactions and impressions of each user a service retains in memory. */
export type MaxPerUser = Settings<typeof sections.maxPerUser>

/** Settings of {@link openService}. Only `store` is required. */
export interface ServiceSettings {
  /** The path of a store, which is created if it does not exist, or an open store. */
  readonly store: string | EventStore
  /** Defaults to one variant: REN on GRU4Rec for all users. */
  readonly variants?: readonly VariantSettings[]
  /**
   * `own` gives each variant its own model, counts and training examples. `shared` compares
   * policies over one model. That measures only the immediate reward, since each policy profits
   * from the exploration of the others. Defaults to `own`.
   */
  readonly models?: 'own' | 'shared'
  /**
   * `blend` adds transition memory, popularity and click rates to the model's relevance, weighted
   * by how well they rank. `model` uses the model alone. Defaults to `blend`.
   */
  readonly relevance?: 'blend' | 'model'
  /**
   * A model file to serve from the start. A store imports the same file only once, so a restart
   * keeps the weights that were learned since. All variants must have its architecture. Defaults to
   * random weights, or those of the store.
   */
  readonly modelFile?: Uint8Array
  /** Determines the variant of each user and all random choices. Defaults to `ren`. */
  readonly seed?: number | string
  /** Whether a slate counts as shown when it is `served` or `confirmed`. Defaults to `served`. */
  readonly impressions?: 'served' | 'confirmed'
  /** Milliseconds until a shown item without interaction has reward 0. Defaults to 30 minutes. */
  readonly attributionWindow?: number
  /** Which seen items requests without `excludeSeen` leave out. Defaults to `auto`. */
  readonly excludeSeen?: ExcludeSeen
  /**
   * When a service fine-tunes its models, and when it rejects an update. Each setting defaults to
   * the value in docs/settings.md.
   */
  readonly learning?: SettingsInput<typeof sections.learning> & {
    /**
     * When a service trains over the whole log in the background. Only models with a ranking or
     * softmax loss can do so. Each setting defaults to the value in docs/settings.md.
     */
    readonly fullTraining?: SettingsInput<typeof sections.fullTraining>
  }
  /**
   * When a service saves its state, and how many states and model versions it retains. Each setting
   * defaults to the value in docs/settings.md.
   */
  readonly snapshots?: SettingsInput<typeof sections.snapshots>
  /**
   * Limits the data of each user in memory. The log retains everything. Each limit defaults to the
   * value in docs/settings.md.
   */
  readonly maxPerUser?: SettingsInput<typeof sections.maxPerUser>
  /**
   * Skips damaged events, each with a log message, instead of refusing to start. Defaults to false.
   */
  readonly skipDamaged?: boolean
  /** Milliseconds since 1970; may go backwards. Defaults to `Date.now`. */
  readonly clock?: () => number
  /** Receives messages for the operator. Defaults to writing them to standard error. */
  readonly onLogMessage?: LogHandler
}

/** A variant of an A/B test: a method, and its share of the users. */
export interface VariantSettings {
  /** The name of the variant in figures, logs and the store. */
  readonly name: string
  /** The share of users, relative to the other variants. Defaults to 1. */
  readonly share?: number
  /** A method by name: an alias such as `ren-g`, or model+policy. */
  readonly method: string
  /**
   * Settings of the method. With blended relevance, exploration settings default to those of the
   * default variant; each other one defaults to the value in docs/settings.md.
   */
  readonly settings?: MethodSettings
}

/** A message for the operator. */
export interface LogMessage {
  /** How serious it is. */
  readonly level: 'info' | 'warning' | 'error'
  /** What happened, in one line without a line break. */
  readonly message: string
  /** The code of the RenError that caused the message; absent if no RenError did. */
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
    ...withDefaults('learning', sections.learning, {}),
    fullTraining: withDefaults('learning.fullTraining', sections.fullTraining, {}),
  },
  snapshots: withDefaults('snapshots', sections.snapshots, {}),
  maxPerUser: withDefaults('maxPerUser', sections.maxPerUser, {}),
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
