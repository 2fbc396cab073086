import { DatabaseSync } from "node:sqlite"

/** How long a statement waits for another demo that writes to the same file. */
const busyTimeoutMs = 5000

/** Opens a file of the demo's own; makes it when it is not there. */
export function openDatabase(file: string): DatabaseSync {
  return new DatabaseSync(file, { timeout: busyTimeoutMs })
}
