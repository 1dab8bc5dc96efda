// The settings of a service and their defaults.

import { methodOf, methodSettings } from '../recommender/index.ts'
import type { MethodSettings } from '../recommender/index.ts'
import type { EventStore } from '../storage/index.ts'
import type { ExcludeSeen } from './serving/seen-exclusion.ts'

// How variants explore by default; blended relevance was tuned with these values.

/** A tenth of every slate, and at least one slot, is for items that are little known. */
export const explorationDefaults = {
  explorationWeight: 0.1,
  exploratoryShare: 0.1,
  newItemWeight: 45,
  uncertainty: 'trial',
} as const

interface Variant {
  readonly method: string
  readonly settings: MethodSettings
}

/**
 * The variants with these defaults for what they do not name. Variants with absolute weights
 * (`diversityWeight`, `uncertaintyWeight`) explore on another scale, and stay as they are.
 */
export function withExplorationDefaults<Given extends Variant>(
  variants: readonly Given[],
  models: 'own' | 'shared',
): readonly Given[] {
  const { uncertainty, ...ofPolicy } = explorationDefaults
  // Uncertainty belongs to the model that is shared.
  const isShared = models === 'shared' && variants.some(hasDefaults)
  return variants.map((variant) => ({
    ...variant,
    settings: {
      ...(hasDefaults(variant) && ofPolicy),
      ...((isShared || hasDefaults(variant)) && { uncertainty }),
      ...variant.settings,
    },
  }))
}

function hasDefaults({ method, settings }: Variant): boolean {
  const { settings: ofMethod = {} } = methodOf(method)
  const isAbsolute = ['diversityWeight', 'uncertaintyWeight'].some(
    (name) => name in settings || name in ofMethod,
  )
  return !isAbsolute && 'explorationWeight' in methodSettings(method).policy
}

/** Settings of {@link openService}. Only `store` is required. */
export interface ServiceSettings {
  /** A file that is created where there is none, or a store that is open. */
  readonly store: string | EventStore
  /** Defaults to one variant: REN on GRU4Rec for all users. */
  readonly variants?: readonly VariantSettings[]
  /**
   * `own`, the default, gives each variant its own model, counts and training examples. `shared` compares
   * policies over one model: that measures immediate reward only, since each learns from the others.
   */
  readonly models?: 'own' | 'shared'
  /**
   * What relevance is made of: `blend`, the default, joins the model with a transition memory,
   * popularity and click rates, weighted by how well they rank; `model` is the model's alone.
   */
  readonly relevance?: 'blend' | 'model'
  /**
   * A model file whose weights serve from the start. A file that the store has taken before is not
   * taken again, so a restart keeps what was learned since. All variants have its architecture.
   */
  readonly modelFile?: Uint8Array
  readonly seed?: number | string
  /** Whether a slate counts as shown when it is `served` (the default) or `confirmed`. */
  readonly impressions?: 'served' | 'confirmed'
  /** Milliseconds until an item that was shown and not chosen has reward 0. Defaults to half an hour. */
  readonly attributionWindow?: number
  /** For requests that do not set it. Defaults to `auto`. */
  readonly excludeSeen?: ExcludeSeen
  readonly learning?: Partial<Omit<LearningSettings, 'fullTraining'>> & {
    readonly fullTraining?: Partial<FullTrainingSettings>
  }
  readonly snapshots?: Partial<SnapshotSettings>
  /** How much is kept in memory of each user; the log has all. */
  readonly maxPerUser?: Partial<MaxPerUser>
  /** Leaves out events that the store cannot read, each with a warning, instead of refusing to start. */
  readonly skipDamaged?: boolean
  /** Milliseconds since 1970; may go backwards. Defaults to the machine's clock. */
  readonly clock?: () => number
  /** Receives messages for the operator. Defaults to writing them to standard error. */
  readonly onLogMessage?: (logMessage: LogMessage) => void
}

/** A variant of an A/B test: a method, and its share of the users. */
export interface VariantSettings {
  readonly name: string
  /** Its share of the users, relative to the others'. Defaults to 1. */
  readonly share?: number
  /** A method by name: an alias such as `ren-g`, or model+policy. */
  readonly method: string
  /** With blended relevance, settings of exploration default to those of the default variant. */
  readonly settings?: MethodSettings
}

/** When a service fine-tunes its models, and when it rejects an update. */
export interface LearningSettings {
  /** False leaves the weights as they are. */
  readonly enabled: boolean
  /** An update runs after this many events, or this many seconds if there are new events. */
  readonly everyEvents: number
  readonly everySeconds: number
  /** Maximum of users with new events per update; the others wait for the next. */
  readonly maxUsers: number
  /** The share of users with new events who are held out to judge an update. */
  readonly holdOut: number
  /** An update is refused that makes their loss larger than this many times what it was. */
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
  /** Seconds between two looks at whether a run is due. */
  readonly everySeconds: number
  /** Interactions that the log of a model must hold. */
  readonly minInteractions: number
  /** The share of the interactions that must be new since the last run. */
  readonly growth: number
  /** Epochs per run, at most; a run that gets no better ends before. */
  readonly maxEpochs: number
  /** Seconds between two checkpoints, at least; they are taken at the end of an epoch. */
  readonly checkpointSeconds: number
}

/** When a service saves its state, and how many states and model versions it retains. */
export interface SnapshotSettings {
  /** State is saved after this many events, or this many seconds if there are new events. */
  readonly everyEvents: number
  readonly everySeconds: number
  readonly maxStates: number
  /** Of so many versions: the newest, fewer and fewer the farther back, and the oldest. */
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
  /** Of a RenError, where one is behind it. */
  readonly code?: string
}

export const defaults = {
  variants: [
    {
      name: 'ren',
      method: 'ren-g',
      settings: {
        dimension: 64,
        window: 200,
        decoderScale: 1,
        ...explorationDefaults,
      },
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

// Where log messages go.

export function writeLogMessage({ level, message }: LogMessage): void {
  process.stderr.write(`ren: ${level}: ${message}\n`)
}

/** Never throws: a message whose callback fails is written to standard error. */
export function safeLogging(
  onLogMessage: (logMessage: LogMessage) => void,
): (logMessage: LogMessage) => void {
  return (logMessage) =>
    void Promise.try(onLogMessage, logMessage).catch(() => writeLogMessage(logMessage))
}
