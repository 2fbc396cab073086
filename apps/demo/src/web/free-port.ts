/** How many ports after the wanted one are tried before any free one is taken. */
const neighbours = 20

const taken = new Set(["EADDRINUSE", "EACCES"])

/**
 * Opens something on the wanted port, else on the next free one, else on any. 0 stands for any.
 * @param open listens on the port and resolves once it does; rejects when the port is taken
 */
export async function openOnFreePort<T>(wanted: number, open: (port: number) => Promise<T>): Promise<T> {
  for (const port of candidates(wanted)) {
    try {
      return await open(port)
    } catch (error) {
      if (!isTaken(error)) throw error
    }
  }
  throw new Error("No free port was found on this machine.")
}

function candidates(wanted: number): readonly number[] {
  // Any port of one address family may be taken in the other, so that asking once is not enough.
  const any = [0, 0, 0]
  if (wanted === 0) return any
  const near = Array.from({ length: neighbours + 1 }, (_, step) => wanted + step).filter((port) => port <= 65_535)
  return [...near, ...any]
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && taken.has(String(error.code))
}
