import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"

export interface Process {
  readonly port: number
  /** Kills it without warning, like a power cut. */
  kill(): void
}

/** Starts the service in a new process, and waits until it listens. */
export async function startProcess(env: Readonly<Record<string, string>>, port: number): Promise<Process> {
  const child: ChildProcess = fork(join(import.meta.dirname, "service.ts"), {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  })
  const end = () => void child.kill("SIGKILL")
  process.once("exit", end)
  const ended = once(child, "exit").then(() => {
    throw new Error("A process of the service exited before it listened")
  })
  await Promise.race([once(child, "message"), ended])
  ended.catch(() => undefined)
  return {
    port,
    kill() {
      process.off("exit", end)
      end()
    },
  }
}
