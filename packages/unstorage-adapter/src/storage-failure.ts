/** Longer messages quote what they were given. */
const maxLength = 200

/**
 * Does something with the storage.
 * @throws Error in words that may stand in a log; the driver's own may carry what was to be stored, and with it tokens
 *   and
 * addresses
 */
export async function withStorage<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw new Error(`Storage: ${describe(error)}`)
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return "the driver failed without an error"
  const [line = ""] = error.message.split("\n")
  const [text = ""] = line.split(/,? with args beginning with/)
  return (text || error.name).slice(0, maxLength)
}
