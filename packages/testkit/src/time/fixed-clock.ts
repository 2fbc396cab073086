/** A duration, the sum of its parts. */
export interface Span {
  readonly milliseconds?: number | undefined
  readonly seconds?: number | undefined
  readonly minutes?: number | undefined
  readonly hours?: number | undefined
  readonly days?: number | undefined
}

/** A clock that stands still until it is moved. */
export interface FixedClock extends Disposable {
  /** Returns milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
  /** Moves the clock forward. @throws TypeError for an unknown unit */
  advance(span: Span): void
  /** Sets the clock to an instant. */
  set(instant: Date | string | number): void
  /** Restores the real time. Can be called again. */
  restore(): void
}

const millisecondsOf: Readonly<Record<keyof Span, number>> = {
  milliseconds: 1,
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
}

const defaultStart = "2030-01-01T12:00:00.000Z"

/**
 * Stops `Date` for all code of this process until `restore`. Timers, promises and `performance.now` are not affected, nor
 * is code that kept a reference to the `Date.now` function.
 * @param start Default: 2030-01-01T12:00:00Z.
 * @example
 * using clock = fixedClock()
 * clock.advance({ days: 30, seconds: 1 })
 */
export function fixedClock(start: Date | string | number = defaultStart): FixedClock {
  const RealDate = globalThis.Date
  let instant = new RealDate(start).getTime()
  const now = (): number => instant
  const restore = replaceDate(now)

  return {
    now,
    advance(span) {
      for (const unit of Object.keys(span)) instant += lengthOf(span, unit)
    },
    set(next) {
      instant = new RealDate(next).getTime()
    },
    restore,
    [Symbol.dispose]: restore,
  }
}

function lengthOf(span: Span, unit: string): number {
  if (!(unit in millisecondsOf)) throw new TypeError(`Unknown unit of time "${unit}"`)
  // as: checked above
  const known = unit as keyof Span
  return (span[known] ?? 0) * millisecondsOf[known]
}

/**
 * Makes `Date` read another clock, for all code of this process. Returns the function that restores it.
 * @internal Exported for the simulation.
 */
export function replaceDate(now: () => number): () => void {
  const RealDate = globalThis.Date
  const { now: realNow } = RealDate
  const ReplacedDate = createDate(RealDate, now)
  globalThis.Date = ReplacedDate
  // For code that kept a reference to `Date` before this call.
  RealDate.now = now
  return () => {
    if (RealDate.now === now) RealDate.now = realNow
    if (globalThis.Date === ReplacedDate) globalThis.Date = RealDate
  }
}

/** A `Date` constructor that reads the clock. Its dates are instances of the real `Date`. */
function createDate(real: DateConstructor, now: () => number): DateConstructor {
  return new Proxy(real, {
    construct: (target, parts, newTarget) => Reflect.construct(target, parts.length === 0 ? [now()] : parts, newTarget),
    apply: (target) => new target(now()).toString(),
  })
}
