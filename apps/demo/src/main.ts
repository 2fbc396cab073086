import { fileURLToPath } from "node:url"
import { readDemoOptions } from "./settings/demo-options.js"
import { startDemo } from "./start-demo.js"
import { renderSummary } from "./summary.js"

/** Whoever asks a second time does not want to wait any longer. The shell's number for "ended by Ctrl-C". */
const interrupted = 130

async function main(): Promise<void> {
  const usualDataFolder = fileURLToPath(new URL("../.data", import.meta.url))
  const demo = await startDemo(readDemoOptions(process.env, usualDataFolder))
  console.log(`\n${renderSummary(demo)}\n`)
  let isStopping = false
  const stop = (): void => {
    if (isStopping) process.exit(interrupted)
    isStopping = true
    console.log("\nStopping the demo.")
    // Nothing is left to wait for then, so that the process ends by itself.
    demo.close().catch(fail)
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop)
}

function fail(error: unknown): void {
  console.error(`\nThe demo could not go on: ${error instanceof Error ? error.message : String(error)}`)
  if (error instanceof Error && error.cause) console.error(error.cause)
  process.exitCode = 1
}

main().catch(fail)
