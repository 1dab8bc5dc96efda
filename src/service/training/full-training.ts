// Full training runs of a service: one at a time, started by the rule or by request, resumed after a
// restart, and adopted where the new model ranks better.

import { RenError } from '../../core/errors.ts'
import { cannotTrainFully } from '../../recommender/index.ts'
import type { FittedBlend, PackedHistories, TrainingRunResult } from '../../recommender/index.ts'
import type { EventStore } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import type { LogMessage, FullTrainingSettings } from '../settings.ts'
import { createAttempts } from './attempts.ts'
import { createCheckpoints } from './checkpoints.ts'
import type { RunFacts, SavedRun } from './checkpoints.ts'
import { describeJudgment, short, waitingRun } from './training-status.ts'
import type { TrainingStatus } from './training-status.ts'
import { runInThread } from './training-thread.ts'
import type { SpawnTraining } from './training-thread.ts'

export interface FullTraining {
  /** Of groups that have had a run, or wait for one. */
  readonly status: readonly TrainingStatus[]
  /** Starts runs now, or after the one that is under way. */
  start(groups: readonly ModelGroup[]): readonly TrainingStatus[]
  cancel(groups: readonly ModelGroup[]): readonly TrainingStatus[]
  /** A user was erased: the run under way continues from its last checkpoint without their data. */
  restart(): void
  /** Ends the run under way; it is resumed when the service is opened again. */
  close(): Promise<void>
}

/** What a run learns from, as the learner thread has it. */
export interface TrainingData extends Pick<RunFacts, 'interactions' | 'position' | 'learntTime'> {
  readonly itemNames: readonly string[]
  readonly histories: PackedHistories
  /** The weights that serve. */
  readonly served: Uint8Array
}

interface FullTrainingParts {
  readonly groups: readonly ModelGroup[]
  readonly settings: CompleteSettings
  readonly store: EventStore
  readonly logMessage: (logMessage: LogMessage) => void
  readonly onStatus: (status: TrainingStatus) => void
  readonly spawn: SpawnTraining
  /** `items` limits the catalog to its first items. */
  readonly capture: (group: ModelGroup, items: number | null) => Promise<TrainingData>
  /** Serves the weights of a run from here on; the version that they become. */
  readonly adopt: (group: ModelGroup, result: TrainingRunResult, facts: RunFacts) => Promise<number>
  /** What memory and popularity alone find in the interactions that a run holds out. */
  readonly onBaseline: (group: ModelGroup, baseline: FittedBlend) => void
  /** Whether the weights that serve came from a model file, and no run since. */
  readonly servesModelFile: (group: ModelGroup) => Promise<boolean>
  /** Interactions that the last run of the served weights learned from; 0 where none did. */
  readonly trainedOn: (group: ModelGroup) => number
}

interface CurrentRun {
  readonly group: ModelGroup
  readonly control: AbortController
  readonly ended: Promise<void>
}

/** Milliseconds between two runs that the rule starts: as long as the last one, and at least this. */
const minRest = 60_000

const userErased = new Error('a user was erased')

export async function startFullTraining(parts: FullTrainingParts): Promise<FullTraining> {
  const { groups, settings, store, logMessage, onStatus, spawn } = parts
  const { clock } = settings
  const rule = settings.learning.fullTraining
  const checkpoints = createCheckpoints(store, settings)
  const attempts = createAttempts(store, settings.seed, warn)
  const due = createDueRule(rule)
  const statuses = new Map<string, TrainingStatus>()
  /** Requested runs, and those to be resumed, in order. */
  const waiting = new Map<ModelGroup, SavedRun | null>()
  /** Interactions at the last run that was not adopted. */
  const attempted = new Map<string, number>()
  let current: CurrentRun | null = null
  let closed = false
  let restsUntil = -Infinity

  function set(status: TrainingStatus): TrainingStatus {
    statuses.set(status.group, status)
    onStatus(status)
    return status
  }

  const change = ({ name }: ModelGroup, changes: Partial<TrainingStatus>): TrainingStatus =>
    set({ ...statuses.get(name)!, ...changes })

  const isDue = (group: ModelGroup): boolean => {
    if (cannotTrainFully(group.method, group.settings) !== null) return false
    const trainedOn = Math.max(parts.trainedOn(group), attempted.get(group.name) ?? 0)
    return due.isDue(group.name, countsOf(group), trainedOn)
  }

  /** What the rule finds due waits too, behind what was requested. */
  function look(): void {
    if (!rule.enabled) return
    for (const group of groups.filter(isDue)) {
      if (performance.now() >= restsUntil && current?.group !== group) wait(group)
    }
    next()
  }

  function wait(group: ModelGroup, saved: SavedRun | null = null): void {
    if (waiting.has(group) || current?.group === group) return
    waiting.set(group, saved)
    set(waitingRun(group.name, saved?.facts.startedAt ?? clock()))
  }

  function next(): void {
    const [first] = waiting
    if (closed || current !== null || first === undefined) return
    const [group, saved] = first
    waiting.delete(group)
    const control = new AbortController()
    const began = performance.now()
    const ended = run(group, saved, control.signal).finally(() => {
      restsUntil = performance.now() + Math.max(minRest, performance.now() - began)
      current = null
      next()
    })
    current = { group, control, ended }
  }

  async function run(
    group: ModelGroup,
    saved: SavedRun | null,
    signal: AbortSignal,
  ): Promise<void> {
    const { interactions } = countsOf(group)
    try {
      change(group, { state: 'running', epoch: saved?.epoch ?? 0 })
      const message = await train(group, saved, signal)
      await drop(group)
      await end(group, { state: 'finished', share: 1, secondsLeft: null, message })
      logMessage({ level: 'info', message: `full training of ${group.name}: ${message}` })
    } catch (error) {
      // Its checkpoint stays, for the next start.
      if (closed) return
      if (signal.reason === userErased) return waitAgain(group)
      attempted.set(group.name, interactions)
      await drop(group)
      const message = error instanceof Error ? error.message : String(error)
      const state = signal.aborted ? 'cancelled' : 'failed'
      await end(group, { state, secondsLeft: null, message })
      if (state === 'failed') warn(`full training of ${group.name} failed: ${message}`, error)
    }
  }

  function end(group: ModelGroup, changes: Partial<TrainingStatus>): Promise<void> {
    const status = change(group, changes)
    return attempts.save(group, { status, interactions: attempted.get(group.name) ?? null })
  }

  async function waitAgain(group: ModelGroup): Promise<void> {
    const saved = await checkpoints.find(group).catch(() => null)
    if (closed) return
    waiting.set(group, saved)
    change(group, { state: 'waiting', secondsLeft: null })
  }

  async function drop(group: ModelGroup): Promise<void> {
    try {
      await checkpoints.drop(group)
    } catch (error) {
      warn(`a checkpoint of ${group.name} is still in the store: ${String(error)}`, error)
    }
  }

  /** From the data of a run to what it led to, in words. */
  async function train(
    group: ModelGroup,
    saved: SavedRun | null,
    signal: AbortSignal,
  ): Promise<string> {
    const data = await parts.capture(group, saved?.facts.items ?? null)
    const { interactions, position, learntTime, itemNames, histories, served } = data
    const { startedAt } = statuses.get(group.name)!
    const items = itemNames.length
    const facts = saved?.facts ?? { startedAt, interactions, items, position, learntTime }
    let saving: Promise<void> = Promise.resolve()
    const result = await runInThread(
      spawn,
      {
        method: group.method,
        settings: group.settings,
        seed: settings.seed,
        itemNames,
        histories,
        served,
        isServedChosen: await parts.servesModelFile(group),
        maxEpochs: rule.maxEpochs,
        checkpointSeconds: rule.checkpointSeconds,
        resume: saved?.checkpoint ?? null,
      },
      {
        onBaseline: (baseline) => parts.onBaseline(group, baseline),
        onProgress(figures) {
          const { epoch, epochs, share, secondsLeft, loss } = figures
          const { validation } = figures.validation === null ? statuses.get(group.name)! : figures
          change(group, { epoch, epochs, share, secondsLeft, loss, validation: short(validation) })
        },
        onCheckpoint(epoch, bytes) {
          saving = saving.then(() => save(group, facts, epoch, bytes))
        },
      },
      signal,
    ).finally(() => saving)
    return conclude(group, result, facts)
  }

  async function save(group: ModelGroup, facts: RunFacts, epoch: number, bytes: Uint8Array) {
    try {
      await checkpoints.save(group, facts, epoch, bytes)
    } catch (error) {
      warn(`a checkpoint of ${group.name} could not be saved: ${String(error)}`, error)
    }
  }

  async function conclude(
    group: ModelGroup,
    result: TrainingRunResult,
    facts: RunFacts,
  ): Promise<string> {
    const { judgment, epochs } = result
    const figures = describeJudgment(judgment)
    if (!judgment.better) {
      attempted.set(group.name, facts.interactions)
      return `version ${group.version} stays, after ${epochs} epochs: ${judgment.refusal}; ${figures}`
    }
    const version = await parts.adopt(group, result, facts)
    return `version ${version} serves, after ${epochs} epochs: ${figures}`
  }

  function warn(message: string, error: unknown): void {
    const code = error instanceof RenError ? { code: error.code } : {}
    logMessage({ level: 'warning', message, ...code })
  }

  /** Runs that a restart has interrupted, where not too much has happened since. */
  async function resume(): Promise<void> {
    for (const group of groups) {
      try {
        const saved = await checkpoints.find(group)
        if (saved === null || closed) continue
        const { interactions } = countsOf(group)
        const grown = interactions - saved.facts.interactions
        const isOld = saved.facts.interactions <= parts.trainedOn(group)
        if (isOld || grown > rule.growth * interactions) await drop(group)
        else wait(group, saved)
      } catch (error) {
        warn(`the full training of ${group.name} starts over: ${String(error)}`, error)
        await drop(group)
      }
    }
  }

  for (const group of groups) {
    const last = await attempts.find(group)
    if (last !== null) statuses.set(group.name, last.status)
    if (last !== null && last.interactions !== null) attempted.set(group.name, last.interactions)
  }
  const resumed = rule.enabled ? resume().then(look) : Promise.resolve()
  const timer = setInterval(look, 1000 * Math.min(rule.everySeconds, 1e6)).unref()

  return {
    get status() {
      return [...statuses.values()]
    },
    start(chosen) {
      for (const { name, method, settings: own } of chosen) {
        const reason = cannotTrainFully(method, own)
        if (reason !== null) throw new RenError('invalid-argument', `group ${name}: ${reason}`)
      }
      for (const group of chosen) wait(group)
      next()
      return chosen.map(({ name }) => statuses.get(name)!)
    },
    cancel(chosen) {
      const reason = new Error('the run was cancelled')
      for (const group of chosen) {
        if (waiting.delete(group)) {
          attempted.set(group.name, countsOf(group).interactions)
          void end(group, { state: 'cancelled', message: reason.message })
        }
        if (current?.group === group) current.control.abort(reason)
      }
      return chosen.flatMap(({ name }) => statuses.get(name) ?? [])
    },
    restart: () => current?.control.abort(userErased),
    async close() {
      closed = true
      clearInterval(timer)
      waiting.clear()
      current?.control.abort(new RenError('service-closed', 'the service is closed'))
      await resumed
      await current?.ended
    },
  }
}

// When a group is due for a full training run: enough is new since the last one, and no import runs.

interface GroupCounts {
  /** Interactions in the log. */
  readonly interactions: number
  readonly users: number
}

interface DueRule {
  /**
   * To be called at every look.
   *
   * @param trainedOn Interactions that the last run learned from; 0 before the first.
   */
  isDue(group: string, counts: GroupCounts, trainedOn: number): boolean
}

const minUsers = 20
/** A log that grows by more than this share between two looks is being imported. */
const importGrowth = 0.05

export function createDueRule({ minInteractions, growth }: FullTrainingSettings): DueRule {
  const seen = new Map<string, number>()
  return {
    isDue(group, { interactions, users }, trainedOn) {
      const before = seen.get(group) ?? 0
      seen.set(group, interactions)
      if (interactions < minInteractions || users < minUsers) return false
      if (interactions - before > importGrowth * interactions) return false
      return interactions - trainedOn >= growth * interactions
    },
  }
}

function countsOf({ recommender: { state } }: Pick<ModelGroup, 'recommender'>): GroupCounts {
  const interactions = state.takes.reduce((sum, count) => sum + count, 0)
  return { interactions, users: state.users.size }
}
