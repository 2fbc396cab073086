/** Something that holds a file or a port until it is closed. */
export interface Closable {
  close(): unknown
}

/** Closes what was opened, the newest first, since what came later was built on what came before. */
export interface Cleanup {
  /** Returns what it is given, for use where that is opened. */
  add<T extends Closable>(opened: T): T
  run(): Promise<void>
}

export function createCleanup(): Cleanup {
  const opened: Closable[] = []
  return {
    add: (next) => {
      opened.push(next)
      return next
    },
    run: async () => {
      while (true) {
        const last = opened.pop()
        if (!last) return
        await last.close()
      }
    },
  }
}
