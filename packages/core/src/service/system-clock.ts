import type { Clock } from "../contract/clock.js"

/**
 * The system's time. Looked up at each call, so that a test which holds `Date` still holds the service still as well.
 */
export const systemClock: Clock = () => Date.now()
