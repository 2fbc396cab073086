/**
 * An expression for the most memory that the process which evaluates it has had, in kilobytes. `maxRSS` alone would do where
 * there is no `/proc`: on Linux it is at least what the process had that started this one.
 */
export const peakKilobytes = `(() => {
  const { existsSync, readFileSync } = process.getBuiltinModule("node:fs")
  const file = "/proc/self/status"
  const [, kilobytes] = (existsSync(file) && /VmHWM:\\s*(\\d+)/.exec(readFileSync(file, "utf8"))) || []
  return Number(kilobytes ?? process.resourceUsage().maxRSS)
})()`
