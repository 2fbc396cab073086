/** Milliseconds since 1970-01-01T00:00:00Z. Comes in as a value, so that tests can hold time still. */
export type Clock = () => number
