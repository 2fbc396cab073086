import { AsyncLocalStorage } from "node:async_hooks"
import type { Activity, Cut, Outcome, Wait } from "./activity.js"
import type { Exchange } from "./exchange.js"

/** What the running code belongs to. */
export interface Running {
  readonly activity: Activity
  readonly exchange: Exchange | null
}

interface Timer {
  readonly id: number
  readonly dueMs: number
  readonly running: Running | undefined
  readonly callback: () => void
  readonly isDeadline: boolean
}

/** Holds every piece of work at its cuts, and all timers. Nothing goes on unless it is told to. */
export interface Scheduler {
  readonly activities: readonly Activity[]
  /** Waits until {@link Scheduler.resume} is called. */
  cut(cut: Cut): Promise<Outcome>
  start(activity: Pick<Activity, "id" | "name" | "person">, run: () => Promise<void>): Activity
  /** Lets the oldest wait of an activity go on. Returns what it waited for; null if it does not wait. */
  resume(activity: Activity, outcome: Outcome): Cut | null
  /** Whether the activity waits for something that can still happen. */
  canResume(activity: Activity): boolean
  /** The actor goes away: the browser's part never goes on. */
  leave(activity: Activity): void
  /** What an instance waits for never goes on. */
  stopInstance(instance: number): void
  /** Resolves when everything waits, or is done. */
  settle(): Promise<void>
  /** Begins work of another thread after that of earlier calls. Nothing settles before it ends. */
  inTurn<T>(begin: () => Promise<T>): Promise<T>
  setTimer(milliseconds: number, callback: () => void): number
  clearTimer(id: unknown): void
  /** When the next timer is due. Null without one. */
  nextTimerMs(): number | null
  /** Calls the timers that are due. */
  fireTimers(): void
  /** What the running code belongs to. */
  running(): Running | undefined
  /** Runs code as part of an exchange. */
  within<T>(running: Running, run: () => T): T
}

type Timers = Pick<Scheduler, "setTimer" | "clearTimer" | "nextTimerMs" | "fireTimers"> & {
  drop(matches: (running: Running | undefined) => boolean): void
}

function createTimers(now: () => number, context: AsyncLocalStorage<Running>): Timers {
  const timers = new Map<number, Timer>()
  let last = 0
  return {
    setTimer(milliseconds, callback) {
      last += 1
      const isDeadline = milliseconds >= deadlineMs
      timers.set(last, { id: last, dueMs: now() + milliseconds, running: context.getStore(), callback, isDeadline })
      return last
    },
    clearTimer: (id) => void (typeof id === "number" && timers.delete(id)),
    nextTimerMs: () => {
      let next: number | null = null
      for (const { dueMs } of timers.values()) if (next === null || dueMs < next) next = dueMs
      return next
    },
    fireTimers() {
      if (timers.size === 0) return
      for (const { id, dueMs, callback, running, isDeadline } of [...timers.values()]) {
        if (dueMs > now() || !timers.delete(id)) continue
        if (isDeadline) running?.exchange?.faults.push("a deadline passed")
        if (running) context.run(running, callback)
        else callback()
      }
    },
    drop(matches) {
      for (const [id, { running }] of timers) if (matches(running)) timers.delete(id)
    },
  }
}

/** Code that waits for a short time is at a cut that nothing but time ends. */
function withPauses(timers: Timers, context: AsyncLocalStorage<Running>): Timers["setTimer"] {
  return (milliseconds, callback) => {
    const running = context.getStore()
    if (!running || milliseconds >= deadlineMs) return timers.setTimer(milliseconds, callback)
    const { activity, exchange } = running
    const cut = { label: silence, faults: [], instance: exchange?.instance ?? null }
    const wait: Wait = { cut, activity, goOn: callback }
    activity.waits.push(wait)
    return timers.setTimer(milliseconds, () => {
      activity.waits.splice(activity.waits.indexOf(wait), 1)
      callback()
    })
  }
}

/** Of an activity with two requests, one may wait while another thread works for the other. */
function createThreads(): Pick<Scheduler, "inTurn"> & { isWorking(): boolean } {
  let count = 0
  let last: Promise<unknown> = Promise.resolve()
  return {
    isWorking: () => count > 0,
    inTurn(begin) {
      count += 1
      const work = last.then(begin)
      const end = () => {
        count -= 1
      }
      last = work.then(end, end)
      return work
    },
  }
}

/** @param now The time of the code that runs. */
export function createScheduler(now: () => number): Scheduler {
  const context = new AsyncLocalStorage<Running>()
  const activities: Activity[] = []
  const timers = createTimers(now, context)

  const threads = createThreads()

  function isBusy(): boolean {
    return threads.isWorking() || activities.some(({ isDone, waits }) => !isDone && waits.length === 0)
  }

  function cut({ label, faults, instance }: Cut): Promise<Outcome> {
    const running = context.getStore()
    if (!running) throw new Error(`${label} was called outside of any activity`)
    const { activity } = running
    return new Promise((resolve) => {
      activity.waits.push({ cut: { label, faults, instance }, activity, goOn: resolve })
    })
  }

  function dropWaits(matches: (wait: Wait) => boolean): void {
    for (const { waits } of activities) {
      const kept = waits.filter((wait) => !matches(wait))
      waits.splice(0, waits.length, ...kept)
    }
  }

  return {
    activities,
    cut,
    canResume: ({ waits }) => waits.some(mayGoOn),
    start(given, run) {
      const activity: Activity = { ...given, waits: [], isDone: false, isLeft: false, failure: undefined }
      activities.push(activity)
      context.run({ activity, exchange: null }, () => {
        run()
          .catch((error: unknown) => {
            activity.failure = error
          })
          .finally(() => {
            activity.isDone = true
          })
      })
      return activity
    },
    resume(activity, outcome) {
      const at = activity.waits.findIndex(mayGoOn)
      const [wait] = at < 0 ? [] : activity.waits.splice(at, 1)
      if (!wait) return null
      if (outcome === "silent") activity.waits.push({ ...wait, cut: { ...wait.cut, label: silence } })
      else wait.goOn(outcome)
      return wait.cut
    },
    leave(activity) {
      activity.isLeft = true
    },
    stopInstance(instance) {
      dropWaits((wait) => wait.cut.instance === instance)
      timers.drop((running) => running?.exchange?.instance === instance)
    },
    async settle() {
      await nextTurn()
      if (!isBusy()) return
      // Loading a module, or cryptography in another thread.
      const before = process.cpuUsage()
      while (isBusy()) {
        await nextTurn()
        const { user, system } = process.cpuUsage(before)
        if (user + system <= longestTurnUs) continue
        const names = activities.flatMap(({ name, isDone }) => (isDone ? [] : [name]))
        throw new Error(`One of these neither waits nor ends: ${names.join(", ")}`)
      }
    },
    inTurn: threads.inTurn,
    ...timers,
    setTimer: withPauses(timers, context),
    running: () => context.getStore(),
    within: (running, run) => context.run(running, run),
  }
}

/** A browser that was left asks for nothing more; the service goes on with what it was asked. */
function mayGoOn({ cut: { label, instance }, activity }: Wait): boolean {
  return label !== silence && (instance !== null || !activity.isLeft)
}

/** The label of a wait that never ends by itself. */
const silence = "silence"

/** Milliseconds. A shorter time is waited for; a longer one is the most that something else may take. */
const deadlineMs = 1000

/** Microseconds of processor, since a busy machine may give this process none for a while. Waiting for a turn takes some, too. */
const longestTurnUs = 20_000_000

const { setImmediate } = globalThis

/** Lets all promises settle: promise jobs and ticks run before the next turn of the event loop. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
