let heldMs: number | undefined
const { now } = Date

/**
 * Stops the clock of this process at an instant: leases and sessions end when a test wants it, however busy the machine is.
 * Null lets it run again.
 */
export function holdClock(atMs: number | null): void {
  if (Date.now === now) {
    Date.now = () => heldMs ?? now()
    globalThis.Date = new Proxy(Date, {
      construct: (target, args, newTarget) =>
        Reflect.construct(target, args.length === 0 ? [target.now()] : args, newTarget),
    })
  }
  heldMs = atMs ?? undefined
}
