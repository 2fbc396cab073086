/** A span of time. Parts add up. */
export interface Span {
  readonly milliseconds?: number
  readonly seconds?: number
  readonly minutes?: number
  readonly hours?: number
  readonly days?: number
}

/** Time that stands still until it is told to move on. */
export interface FixedClock extends Disposable {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
  advance(span: Span): void
  set(instant: Date | string | number): void
  /** Gives the real time back. Doing it twice does no harm. */
  restore(): void
}

const millisecondsOf: Readonly<Record<keyof Span, number>> = {
  milliseconds: 1,
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
}

/** Where a clock starts that is told nothing. */
const usualStart = "2030-01-01T12:00:00.000Z"

/**
 * Holds `Date` still, for all code that runs in this process, from this call until `restore`. Timers, promises and
 * `performance.now` go on as ever. Code that kept a reference to `Date.now` itself is not reached.
 * @param start Default: noon of the first day of 2030, UTC.
 * @example
 * using clock = fixedClock()
 * clock.advance({ days: 30, seconds: 1 })
 */
export function fixedClock(start: Date | string | number = usualStart): FixedClock {
  const RealDate = globalThis.Date
  const { now: realNow } = RealDate
  let instant = new RealDate(start).getTime()
  const now = (): number => instant
  const HeldDate = holdStill(RealDate, now)
  globalThis.Date = HeldDate
  // Also for who took `Date` before this call and asks it for the time later.
  RealDate.now = now

  function restore(): void {
    if (RealDate.now === now) RealDate.now = realNow
    if (globalThis.Date === HeldDate) globalThis.Date = RealDate
  }

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
  if (!(unit in millisecondsOf)) throw new TypeError(`A clock knows no ${unit}`)
  // Just looked up.
  const known = unit as keyof Span
  return (span[known] ?? 0) * millisecondsOf[known]
}

/** `Date` in which "now" is what the clock says. Dates made by it and by the real one are of one kind. */
function holdStill(real: DateConstructor, now: () => number): DateConstructor {
  return new Proxy(real, {
    construct: (target, parts, newTarget) => Reflect.construct(target, parts.length === 0 ? [now()] : parts, newTarget),
    apply: (target) => new target(now()).toString(),
  })
}
