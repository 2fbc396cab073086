// Loaded by each server: reports the processor time of its process whenever it receives a message, and ends with the runner.

/** Sent in answer to any message: processor time since the start, in microseconds. */
export interface UsedCpu {
  readonly cpuUs: number
}

process.on("message", () => {
  const { user, system } = process.cpuUsage()
  const used: UsedCpu = { cpuUs: user + system }
  process.send?.(used)
})
process.on("disconnect", () => process.exit())
