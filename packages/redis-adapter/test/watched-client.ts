import type { IoredisClient } from "@latchkey/redis-adapter"
import type { Redis } from "ioredis"

/** One command as it is about to be sent. */
export interface Step {
  /** Counted from the first command of the client, which is 0. */
  readonly index: number
  readonly keys: readonly string[]
  send(): Promise<unknown>
}

/** A client whose every command goes by a test first. Texts of scripts, which a server asks for once, do not. */
export function watchedClient(client: Redis, pass: (step: Step) => Promise<unknown>): IoredisClient {
  const counter = { next: 0 }
  const step = (keys: readonly string[], send: () => Promise<unknown>) => pass({ index: counter.next++, keys, send })
  return {
    hgetall: (key) => step([key], () => client.hgetall(key)),
    evalsha: (sha, count, ...rest) => step(rest.slice(0, count), () => client.evalsha(sha, count, ...rest)),
    eval: (text, count, ...rest) => client.eval(text, count, ...rest),
  }
}

/** Loses the connection for good at a command: on the way there, or on the way back. */
export function cutOffClient(client: Redis, at: number, lost: "request" | "answer"): IoredisClient {
  return watchedClient(client, async ({ index, send }) => {
    if (index < at) return await send()
    if (index === at && lost === "answer") await send()
    throw new Error("the connection was lost")
  })
}

/** The names of all keys that begin with a prefix. */
export async function listKeys(client: Redis, prefix: string): Promise<readonly string[]> {
  return await client.keys(`${prefix}:*`)
}
