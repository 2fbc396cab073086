/** Longer messages quote what they were given. */
const maxLength = 200

/**
 * What went wrong, in words that may stand in a log. The client's own error does not go with it: it may carry the
 * command, and with it tokens and addresses.
 */
export function toRedisFailure(error: unknown): Error {
  return new Error(`Redis: ${describe(error)}`)
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return "the client failed without an error"
  const [line = ""] = error.message.split("\n")
  // A server that does not know a command repeats its arguments.
  const [text = ""] = line.split(/,? with args beginning with/)
  const code: unknown = Reflect.get(error, "code")
  return (text || (typeof code === "string" ? code : error.name)).slice(0, maxLength)
}

/** Whether a server was asked for a script that it does not know, as each one is after a start. */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT")
}
