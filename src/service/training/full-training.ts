// Schedules full training runs, one at a time. Runs start when they are due or on request, resume
// after a restart, and their weights serve if they rank better.

import { RenError } from '../../core/errors.ts'
import { cannotTrainFully } from '../../recommender/index.ts'
import type { FittedBlend } from '../../recommender/fit-blend.ts'
import type { Judgment } from '../../recommender/judge-model.ts'
import type { TrainingRunResult } from '../../recommender/full-training.ts'
import type { PackedHistories } from '../../recommender/held-out.ts'
import { usableThreads } from '../../node/spawn-kernel-worker.ts'
import type { EventStore } from '../../storage/index.ts'
import type { CompleteSettings } from '../complete-settings.ts'
import {
  errorMessage,
  warnOnFailure,
  type FullTrainingSettings,
  type LogHandler,
} from '../settings.ts'
import type { ModelGroup } from '../state/model-groups.ts'
import { createAttempts, createCheckpoints } from './checkpoints.ts'
import type { Attempts, Checkpoints, RunFacts, SavedRun } from './checkpoints.ts'
import type { TrainingStatus } from '../schemas/model.ts'
import type { LastCall } from './spare-cores.ts'
import type { TrainInThread, TrainingReport } from './training-thread.ts'

/** The data of a run, which the learner thread collects. */
export interface TrainingData extends Pick<
  RunFacts,
  'interactions' | 'position' | 'trainedUpToTime'
> {
  readonly itemNames: readonly string[]
  readonly histories: PackedHistories
  /** The served weights. */
  readonly served: Uint8Array
}

interface FullTrainingParts {
  readonly lastCall: LastCall
  readonly groups: readonly ModelGroup[]
  readonly settings: CompleteSettings
  readonly store: EventStore
  readonly logMessage: LogHandler
  readonly onStatus: (status: TrainingStatus) => void
  readonly train: TrainInThread
  /** Collects the data of a run. `items` limits the catalog to its first items. */
  readonly capture: (group: ModelGroup, items: number | null) => Promise<TrainingData>
  /** Serves the weights of a run, and returns their version. */
  readonly adopt: (group: ModelGroup, result: TrainingRunResult, facts: RunFacts) => Promise<number>
  /** Receives a blend of memory and popularity, fitted on the interactions that a run holds out. */
  readonly onBaseline: (group: ModelGroup, baseline: FittedBlend) => void
  /** Whether the served weights come from a model file, and no run has replaced them. */
  readonly servesModelFile: (group: ModelGroup) => Promise<boolean>
  /** Interactions in the last run of the served weights; 0 without one. */
  readonly trainedOn: (group: ModelGroup) => number
}

interface CurrentRun {
  readonly group: ModelGroup
  readonly control: AbortController
  readonly ended: Promise<void>
  /** Whether a user was erased since the start of the run. */
  hasErasedUser: boolean
}

/** Minimum milliseconds between two automatic runs. The pause is at least as long as the last run. */
const minRest = 60_000

const userErased = new Error('a user was erased')

export class FullTraining {
  readonly #parts: FullTrainingParts
  readonly #rule: FullTrainingSettings
  readonly #checkpoints: Checkpoints
  readonly #attempts: Attempts
  readonly #due: DueRule
  readonly #statuses = new Map<string, TrainingStatus>()
  /** Runs that wait for their start, in order; with a checkpoint if they resume. */
  readonly #waiting = new Map<ModelGroup, SavedRun | null>()
  /** Interactions at the start of the last run that was not adopted. */
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
    this.#attempts = createAttempts(store, settings.seed, parts.logMessage)
    this.#due = createDueRule(this.#rule)
  }

  /** Starts the schedule, and resumes runs that a restart has interrupted. */
  async open(): Promise<void> {
    for (const group of this.#parts.groups) {
      const last = await this.#attempts.find(group)
      if (last === null) continue
      this.#statuses.set(group.name, last.status)
      if (last.interactions !== null) this.#attempted.set(group.name, last.interactions)
    }
    const startDue = (): void => this.#startDue()
    if (this.#rule.enabled) this.#resumed = this.#resume().then(startDue)
    this.#timer = setInterval(startDue, 1000 * Math.min(this.#rule.everySeconds, 1e6)).unref()
  }

  /** The status of groups that have had a run, or wait for one. */
  get status(): readonly TrainingStatus[] {
    return [...this.#statuses.values()]
  }

  /** Starts runs now, or after the current one. */
  start(groups: readonly ModelGroup[]): readonly TrainingStatus[] {
    for (const { name, method, settings } of groups) {
      const reason = cannotTrainFully(method, settings)
      if (reason !== null) throw new RenError('invalid-argument', `group ${name}: ${reason}`)
    }
    for (const group of groups) this.#wait(group)
    this.#next()
    return groups.map(({ name }) => this.#statuses.get(name)!)
  }

  /** Whether a run of the group is running, waits, or is due as the first one of the group. */
  isExpected(group: ModelGroup): boolean {
    if (this.#waiting.has(group) || this.#current?.group === group) return true
    const isFirst = this.#parts.trainedOn(group) === 0 && !this.#attempted.has(group.name)
    const canTrain = cannotTrainFully(group.method, group.settings) === null
    return this.#rule.enabled && isFirst && canTrain && isEnough(countsOf(group), this.#rule)
  }

  cancel(groups: readonly ModelGroup[]): readonly TrainingStatus[] {
    const reason = new Error('the run was canceled')
    for (const group of groups) {
      if (this.#waiting.delete(group)) {
        this.#attempted.set(group.name, countsOf(group).interactions)
        void this.#end(group, { state: 'canceled', message: reason.message })
      }
      if (this.#current?.group === group) this.#current.control.abort(reason)
    }
    return groups.flatMap(({ name }) => this.#statuses.get(name) ?? [])
  }

  /**
   * The current run continues without the data of an erased user from its next checkpoint on. To stop it
   * at once would repeat the epoch: with an erasure in every epoch, a run would never end.
   */
  userErased(): void {
    if (this.#current !== null) this.#current.hasErasedUser = true
  }

  /** Stops the current run, which resumes when the service is opened again. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    this.#waiting.clear()
    this.#current?.control.abort(new RenError('service-closed', 'the service is closed'))
    await this.#resumed
    await this.#current?.ended
  }

  /** Queues interrupted runs, unless the log has grown too much since. */
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
        this.#warn(`the full training of ${group.name} starts over`, error)
        await this.#drop(group)
      }
    }
  }

  /** Queues due runs behind requested ones. */
  #startDue(): void {
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
    this.#current = { group, control, ended, hasErasedUser: false }
  }

  async #run(group: ModelGroup, saved: SavedRun | null, signal: AbortSignal): Promise<void> {
    const { interactions } = countsOf(group)
    try {
      this.#change(group, { state: 'running', epoch: saved?.epoch ?? 0 })
      const message = await this.#train(group, saved, signal)
      await this.#drop(group)
      await this.#end(group, { state: 'done', share: 1, secondsLeft: null, message })
      const { logMessage } = this.#parts
      logMessage({ level: 'info', message: `full training of ${group.name}: ${message}` })
    } catch (error) {
      // The checkpoint stays, to resume the run after the restart.
      if (this.#closed) return
      if (signal.reason === userErased) return this.#waitAgain(group)
      this.#attempted.set(group.name, interactions)
      await this.#drop(group)
      const message = error instanceof Error ? error.message : String(error)
      const state = signal.aborted ? 'canceled' : 'failed'
      await this.#end(group, { state, secondsLeft: null, message })
      if (state === 'failed') this.#warn(`full training of ${group.name} failed`, error)
    }
  }

  /** Returns a description of the outcome. */
  async #train(group: ModelGroup, saved: SavedRun | null, signal: AbortSignal): Promise<string> {
    const { capture, lastCall, servesModelFile, settings, train } = this.#parts
    const data = await capture(group, saved?.facts.items ?? null)
    const { interactions, position, trainedUpToTime, itemNames, histories, served } = data
    const { startedAt } = this.#statuses.get(group.name)!
    const items = itemNames.length
    const facts = saved?.facts ?? { startedAt, interactions, items, position, trainedUpToTime }
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
      threads: Math.min(this.#rule.maxThreads, usableThreads()),
      lastCall,
      resume: saved?.checkpoint ?? null,
    }
    let saving: Promise<void> = Promise.resolve()
    const onReport = (report: TrainingReport): void => {
      if ('baseline' in report) this.#parts.onBaseline(group, report.baseline)
      else if ('figures' in report) this.#show(group, report.figures)
      else saving = saving.then(() => this.#saveCheckpoint(group, facts, report))
    }
    // Waits for pending checkpoints, whether the run succeeds or fails.
    const result = await train(start, onReport, signal).finally(() => saving)
    return this.#conclude(group, result, facts)
  }

  #show(
    group: ModelGroup,
    figures: Extract<TrainingReport, { figures: unknown }>['figures'],
  ): void {
    const { epoch, epochs, share, secondsLeft, loss } = figures
    const judged = figures.validation ?? this.#statuses.get(group.name)!.validation
    const validation = judged && { hr10: judged.hr10, ndcg10: judged.ndcg10 }
    this.#change(group, { epoch, epochs, share, secondsLeft, loss, validation })
  }

  async #conclude(group: ModelGroup, result: TrainingRunResult, facts: RunFacts): Promise<string> {
    const { judgment, epochs } = result
    const figures = describeJudgment(judgment)
    if (!judgment.better) {
      this.#attempted.set(group.name, facts.interactions)
      return `version ${group.version} still serves after ${epochs} epochs: ${judgment.refusal}; ${figures}`
    }
    const version = await this.#parts.adopt(group, result, facts)
    return `version ${version} serves after ${epochs} epochs: ${figures}`
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

  /** Stops the run if a user was erased: it resumes from this checkpoint without the user's data. */
  async #saveCheckpoint(group: ModelGroup, facts: RunFacts, run: Omit<SavedRun, 'facts'>) {
    await this.#save(group, facts, run)
    if (this.#current?.hasErasedUser) this.#current.control.abort(userErased)
  }

  #save(
    group: ModelGroup,
    facts: RunFacts,
    { epoch, checkpoint }: Omit<SavedRun, 'facts'>,
  ): Promise<void> {
    const what = `a checkpoint of ${group.name} was not saved`
    const save = () => this.#checkpoints.save(group, facts, epoch, checkpoint)
    return warnOnFailure(this.#parts.logMessage, what, save)
  }

  #drop(group: ModelGroup): Promise<void> {
    const what = `a checkpoint of ${group.name} was not dropped`
    return warnOnFailure(this.#parts.logMessage, what, () => this.#checkpoints.drop(group))
  }

  #warn(what: string, error: unknown): void {
    this.#parts.logMessage(errorMessage('warning', what, error))
  }
}

interface GroupCounts {
  /** Interactions in the log. */
  readonly interactions: number
  readonly users: number
}

const minUsers = 20
/** If the log grows by more than this share between two checks, an import is running. */
const importGrowth = 0.05

const isEnough = (
  { interactions, users }: GroupCounts,
  { minInteractions }: FullTrainingSettings,
): boolean => interactions >= minInteractions && users >= minUsers

type DueRule = ReturnType<typeof createDueRule>

/** A group is due if enough interactions are new since its last run, and no import is running. */
export function createDueRule(rule: FullTrainingSettings) {
  const { growth } = rule
  const lastCounts = new Map<string, number>()
  return {
    /**
     * Call it at every check, since it compares with the previous one.
     *
     * @param trainedOn Interactions in the last run; 0 before the first.
     */
    isDue(group: string, counts: GroupCounts, trainedOn: number): boolean {
      const { interactions } = counts
      const before = lastCounts.get(group) ?? 0
      lastCounts.set(group, interactions)
      if (!isEnough(counts, rule)) return false
      if (interactions - before > importGrowth * interactions) return false
      return interactions - trainedOn >= growth * interactions
    },
  }
}

function countsOf({ recommender: { state } }: Pick<ModelGroup, 'recommender'>): GroupCounts {
  const interactions = state.interactions.reduce((sum, count) => sum + count, 0)
  return { interactions, users: state.users.size }
}

const waitingRun = (group: string, startedAt: number): TrainingStatus => ({
  group,
  state: 'waiting',
  startedAt,
  epoch: 0,
  epochs: 0,
  share: 0,
  secondsLeft: null,
  loss: null,
  validation: null,
})

const describeJudgment = ({ after, before, quality }: Judgment): string =>
  `HR@10 of the model ${after.hr10.toFixed(3)} on ${after.examples} held-out interactions, ` +
  `${before.hr10.toFixed(3)} before; popularity ${quality.popularity.hr10.toFixed(3)}, ` +
  `memory ${quality.memory.hr10.toFixed(3)}, blend ${quality.served.hr10.toFixed(3)}`
