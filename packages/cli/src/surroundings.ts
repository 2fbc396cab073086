/** What a command knows of the process that it runs in. */
export interface Surroundings {
  /** Where relative paths begin. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Writes to the standard output. */
  say(text: string): void
  /** Writes to the standard error. */
  complain(text: string): void
}

/** The command was called in a way that it does not know. The message says what would be right. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}
