/** https://www.sqlite.org/rescode.html#busy; the further bits of an extended code stand above the lowest eight. */
const busy = 5
const pauseMilliseconds = 10

/**
 * For statements that SQLite refuses at once, whatever the busy timeout, when another process is in the way: two that
 * switch a new file to write-ahead logging would otherwise wait for one another forever.
 */
export function retryWhileBusy(work: () => void, timeoutMilliseconds: number): void {
  for (let waited = 0; ; waited += pauseMilliseconds) {
    try {
      work()
      return
    } catch (error) {
      if (!isBusy(error) || waited >= timeoutMilliseconds) throw error
      pause()
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === busy
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMilliseconds)
}
