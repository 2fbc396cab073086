import { type ChildProcess, fork } from "node:child_process"
import { join } from "node:path"
import type { TargetId } from "../scenario.ts"
import type { Answer, Order } from "./messages.ts"
import type { Slice } from "./slice.ts"

/** A target that runs in a process of its own. */
export interface RemoteTarget {
  readonly id: TargetId
  run(order: Order): Promise<Slice>
  /** Ends the process, and waits for its end. */
  close(): Promise<void>
}

const program = join(import.meta.dirname, "target-process.ts")
const withoutNode = join(import.meta.dirname, "..", "targets", "without-node-condition.ts")

/** Starts the process and waits until the target has shown that it does the scenario's work. */
export async function startTarget(
  scenarioId: string,
  id: TargetId,
  nodeOptions: readonly string[] = [],
): Promise<RemoteTarget> {
  const conditions = id.endsWith("-edge") ? [`--import=${withoutNode}`] : []
  const child = fork(program, [scenarioId, id], {
    execArgv: [...conditions, ...nodeOptions],
    env: { ...process.env, NODE_ENV: "production" },
  })
  const ready = await nextAnswer(child, id)
  if (ready.kind !== "ready") throw new Error(`${id}: a slice came before it was ordered`)
  return {
    id,
    async run(order) {
      child.send(order)
      const answer = await nextAnswer(child, id)
      if (answer.kind !== "slice") throw new Error(`${id}: expected a slice`)
      return answer.slice
    },
    close: () => end(child),
  }
}

function nextAnswer(child: ChildProcess, id: TargetId): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`${id}: its process ended`))
    child.once("exit", onExit)
    child.once("message", (answer: Answer) => {
      child.off("exit", onExit)
      if (answer.kind === "failed") reject(new Error(`${id}: ${answer.reason}`))
      else resolve(answer)
    })
  })
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once("exit", () => resolve())
    if (child.connected) child.disconnect()
  })
}
