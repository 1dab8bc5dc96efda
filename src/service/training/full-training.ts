// Full training runs of a service: one at a time, started by the rule or by request, resumed after a
// restart, and adopted where the new model ranks better.

import { RenError } from '../../core/errors.ts'
import { cannotTrainFully } from '../../recommender/index.ts'
import type { FittedBlend } from '../../recommender/fit-blend.ts'
import type { TrainingRunResult } from '../../recommender/full-training.ts'
import type { PackedHistories } from '../../recommender/held-out.ts'
import type { EventStore } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import type { LogMessage, FullTrainingSettings } from '../settings.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import { createAttempts, createCheckpoints } from './checkpoints.ts'
import type { Attempts, Checkpoints, RunFacts, SavedRun } from './checkpoints.ts'
import { describeJudgment, short, waitingRun } from './training-status.ts'
import type { TrainingStatus } from '../schemas/model.ts'
import type { TrainInThread, TrainingReport } from './training-thread.ts'

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
  readonly train: TrainInThread
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

/** Starts the rule, and resumes runs that a restart has interrupted. */
export async function startFullTraining(parts: FullTrainingParts): Promise<FullTraining> {
  const training = new FullTraining(parts)
  await training.open()
  return training
}

export class FullTraining {
  readonly #parts: FullTrainingParts
  readonly #rule: FullTrainingSettings
  readonly #checkpoints: Checkpoints
  readonly #attempts: Attempts
  readonly #due: DueRule
  readonly #statuses = new Map<string, TrainingStatus>()
  /** Requested runs, and those to be resumed, in order. */
  readonly #waiting = new Map<ModelGroup, SavedRun | null>()
  /** Interactions at the last run that was not adopted. */
  readonly #attempted = new Map<string, number>()
  #current: CurrentRun | null = null
  #closed = false
  #restsUntil = -Infinity
  #resumed: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(parts: FullTrainingParts) {
    const { store, settings } = parts
    this.#parts = parts
    this.#rule = settings.learning.fullTraining
    this.#checkpoints = createCheckpoints(store, settings)
    this.#attempts = createAttempts(store, settings.seed, this.#warn)
    this.#due = createDueRule(this.#rule)
  }

  async open(): Promise<void> {
    for (const group of this.#parts.groups) {
      const last = await this.#attempts.find(group)
      if (last === null) continue
      this.#statuses.set(group.name, last.status)
      if (last.interactions !== null) this.#attempted.set(group.name, last.interactions)
    }
    const look = (): void => this.#look()
    if (this.#rule.enabled) this.#resumed = this.#resume().then(look)
    this.#timer = setInterval(look, 1000 * Math.min(this.#rule.everySeconds, 1e6)).unref()
  }

  /** Of groups that have had a run, or wait for one. */
  get status(): readonly TrainingStatus[] {
    return [...this.#statuses.values()]
  }

  /** Starts runs now, or after the one that is under way. */
  start(groups: readonly ModelGroup[]): readonly TrainingStatus[] {
    for (const { name, method, settings } of groups) {
      const reason = cannotTrainFully(method, settings)
      if (reason !== null) throw new RenError('invalid-argument', `group ${name}: ${reason}`)
    }
    for (const group of groups) this.#wait(group)
    this.#next()
    return groups.map(({ name }) => this.#statuses.get(name)!)
  }

  /** Whether a run of the group is under way, waits, or is the first that the log is large enough for. */
  isExpected(group: ModelGroup): boolean {
    if (this.#waiting.has(group) || this.#current?.group === group) return true
    const isFirst = this.#parts.trainedOn(group) === 0 && !this.#attempted.has(group.name)
    const canTrain = cannotTrainFully(group.method, group.settings) === null
    return this.#rule.enabled && isFirst && canTrain && isEnough(countsOf(group), this.#rule)
  }

  cancel(groups: readonly ModelGroup[]): readonly TrainingStatus[] {
    const reason = new Error('the run was cancelled')
    for (const group of groups) {
      if (this.#waiting.delete(group)) {
        this.#attempted.set(group.name, countsOf(group).interactions)
        void this.#end(group, { state: 'cancelled', message: reason.message })
      }
      if (this.#current?.group === group) this.#current.control.abort(reason)
    }
    return groups.flatMap(({ name }) => this.#statuses.get(name) ?? [])
  }

  /** A user was erased: the run under way continues from its last checkpoint without their data. */
  restart(): void {
    this.#current?.control.abort(userErased)
  }

  /** Ends the run under way; it is resumed when the service is opened again. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    this.#waiting.clear()
    this.#current?.control.abort(new RenError('service-closed', 'the service is closed'))
    await this.#resumed
    await this.#current?.ended
  }

  /** Runs that a restart has interrupted, where the log has not grown too much since. */
  async #resume(): Promise<void> {
    for (const group of this.#parts.groups) {
      try {
        const saved = await this.#checkpoints.find(group)
        if (saved === null || this.#closed) continue
        const { interactions } = countsOf(group)
        const grown = interactions - saved.facts.interactions
        const isOld = saved.facts.interactions <= this.#parts.trainedOn(group)
        if (isOld || grown > this.#rule.growth * interactions) await this.#drop(group)
        else this.#wait(group, saved)
      } catch (error) {
        this.#warn(`the full training of ${group.name} starts over: ${String(error)}`, error)
        await this.#drop(group)
      }
    }
  }

  /** Runs that the rule finds due wait behind those that were requested. */
  #look(): void {
    if (!this.#rule.enabled) return
    for (const group of this.#parts.groups.filter((one) => this.#isDue(one))) {
      if (performance.now() >= this.#restsUntil && this.#current?.group !== group) this.#wait(group)
    }
    this.#next()
  }

  #isDue(group: ModelGroup): boolean {
    if (cannotTrainFully(group.method, group.settings) !== null) return false
    const attempted = this.#attempted.get(group.name) ?? 0
    const trainedOn = Math.max(this.#parts.trainedOn(group), attempted)
    return this.#due.isDue(group.name, countsOf(group), trainedOn)
  }

  #wait(group: ModelGroup, saved: SavedRun | null = null): void {
    if (this.#waiting.has(group) || this.#current?.group === group) return
    this.#waiting.set(group, saved)
    this.#set(waitingRun(group.name, saved?.facts.startedAt ?? this.#parts.settings.clock()))
  }

  async #waitAgain(group: ModelGroup): Promise<void> {
    const saved = await this.#checkpoints.find(group).catch(() => null)
    if (this.#closed) return
    this.#waiting.set(group, saved)
    this.#change(group, { state: 'waiting', secondsLeft: null })
  }

  #next(): void {
    const [first] = this.#waiting
    if (this.#closed || this.#current !== null || first === undefined) return
    const [group, saved] = first
    this.#waiting.delete(group)
    const control = new AbortController()
    const began = performance.now()
    const ended = this.#run(group, saved, control.signal).finally(() => {
      this.#restsUntil = performance.now() + Math.max(minRest, performance.now() - began)
      this.#current = null
      this.#next()
    })
    this.#current = { group, control, ended }
  }

  async #run(group: ModelGroup, saved: SavedRun | null, signal: AbortSignal): Promise<void> {
    const { interactions } = countsOf(group)
    try {
      this.#change(group, { state: 'running', epoch: saved?.epoch ?? 0 })
      const message = await this.#train(group, saved, signal)
      await this.#drop(group)
      await this.#end(group, { state: 'finished', share: 1, secondsLeft: null, message })
      const { logMessage } = this.#parts
      logMessage({ level: 'info', message: `full training of ${group.name}: ${message}` })
    } catch (error) {
      // Its checkpoint stays, for the next start.
      if (this.#closed) return
      if (signal.reason === userErased) return this.#waitAgain(group)
      this.#attempted.set(group.name, interactions)
      await this.#drop(group)
      const message = error instanceof Error ? error.message : String(error)
      const state = signal.aborted ? 'cancelled' : 'failed'
      await this.#end(group, { state, secondsLeft: null, message })
      if (state === 'failed') this.#warn(`full training of ${group.name} failed: ${message}`, error)
    }
  }

  /** One run, from its data to a description of its outcome. */
  async #train(group: ModelGroup, saved: SavedRun | null, signal: AbortSignal): Promise<string> {
    const { capture, servesModelFile, settings, train } = this.#parts
    const data = await capture(group, saved?.facts.items ?? null)
    const { interactions, position, learntTime, itemNames, histories, served } = data
    const { startedAt } = this.#statuses.get(group.name)!
    const items = itemNames.length
    const facts = saved?.facts ?? { startedAt, interactions, items, position, learntTime }
    const start = {
      method: group.method,
      settings: group.settings,
      seed: settings.seed,
      itemNames,
      histories,
      served,
      isServedChosen: await servesModelFile(group),
      maxEpochs: this.#rule.maxEpochs,
      checkpointSeconds: this.#rule.checkpointSeconds,
      resume: saved?.checkpoint ?? null,
    }
    let saving: Promise<void> = Promise.resolve()
    const onReport = (report: TrainingReport): void => {
      if ('baseline' in report) this.#parts.onBaseline(group, report.baseline)
      else if ('figures' in report) this.#show(group, report.figures)
      else saving = saving.then(() => this.#save(group, facts, report))
    }
    // Its checkpoints are written before the run has ended, whichever way.
    const result = await train(start, onReport, signal).finally(() => saving)
    return this.#conclude(group, result, facts)
  }

  #show(
    group: ModelGroup,
    figures: Extract<TrainingReport, { figures: unknown }>['figures'],
  ): void {
    const { epoch, epochs, share, secondsLeft, loss } = figures
    const validation = figures.validation ?? this.#statuses.get(group.name)!.validation
    const progress = { epoch, epochs, share, secondsLeft, loss, validation: short(validation) }
    this.#change(group, progress)
  }

  async #conclude(group: ModelGroup, result: TrainingRunResult, facts: RunFacts): Promise<string> {
    const { judgment, epochs } = result
    const figures = describeJudgment(judgment)
    if (!judgment.better) {
      this.#attempted.set(group.name, facts.interactions)
      return `version ${group.version} stays, after ${epochs} epochs: ${judgment.refusal}; ${figures}`
    }
    const version = await this.#parts.adopt(group, result, facts)
    return `version ${version} serves, after ${epochs} epochs: ${figures}`
  }

  #set(status: TrainingStatus): TrainingStatus {
    this.#statuses.set(status.group, status)
    this.#parts.onStatus(status)
    return status
  }

  #change({ name }: ModelGroup, changes: Partial<TrainingStatus>): TrainingStatus {
    return this.#set({ ...this.#statuses.get(name)!, ...changes })
  }

  #end(group: ModelGroup, changes: Partial<TrainingStatus>): Promise<void> {
    const status = this.#change(group, changes)
    const interactions = this.#attempted.get(group.name) ?? null
    return this.#attempts.save(group, { status, interactions })
  }

  async #save(
    group: ModelGroup,
    facts: RunFacts,
    { epoch, checkpoint }: Omit<SavedRun, 'facts'>,
  ): Promise<void> {
    try {
      await this.#checkpoints.save(group, facts, epoch, checkpoint)
    } catch (error) {
      this.#warn(`a checkpoint of ${group.name} could not be saved: ${String(error)}`, error)
    }
  }

  async #drop(group: ModelGroup): Promise<void> {
    try {
      await this.#checkpoints.drop(group)
    } catch (error) {
      this.#warn(`a checkpoint of ${group.name} is still in the store: ${String(error)}`, error)
    }
  }

  readonly #warn = (message: string, error: unknown): void => {
    const code = error instanceof RenError ? { code: error.code } : {}
    this.#parts.logMessage({ level: 'warning', message, ...code })
  }
}

// When a group is due for a full training run: enough is new since the last one, and no import runs.

interface GroupCounts {
  /** Interactions in the log. */
  readonly interactions: number
  readonly users: number
}

const minUsers = 20
/** A log that grows by more than this share between two looks is being imported. */
const importGrowth = 0.05

const isEnough = (
  { interactions, users }: GroupCounts,
  { minInteractions }: FullTrainingSettings,
): boolean => interactions >= minInteractions && users >= minUsers

type DueRule = ReturnType<typeof createDueRule>

export function createDueRule(rule: FullTrainingSettings) {
  const { growth } = rule
  const seen = new Map<string, number>()
  return {
    /**
     * To be called at every look.
     *
     * @param trainedOn Interactions that the last run learned from; 0 before the first.
     */
    isDue(group: string, counts: GroupCounts, trainedOn: number): boolean {
      const { interactions } = counts
      const before = seen.get(group) ?? 0
      seen.set(group, interactions)
      if (!isEnough(counts, rule)) return false
      if (interactions - before > importGrowth * interactions) return false
      return interactions - trainedOn >= growth * interactions
    },
  }
}

function countsOf({ recommender: { state } }: Pick<ModelGroup, 'recommender'>): GroupCounts {
  const interactions = state.takes.reduce((sum, count) => sum + count, 0)
  return { interactions, users: state.users.size }
}
