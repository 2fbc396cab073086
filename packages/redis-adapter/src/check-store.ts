import type { StoreDefect } from "@latchkey/core/adapters"
import type { RedisDriver, RunOperation } from "./client.js"
import { describeServer, readCheck, writeCheck } from "./feature-scripts.js"
import { createUniqueId, digestOf, type StoreKeys } from "./keys.js"

/** What the adapter has beyond the methods that the service calls. */
export interface RedisCheck {
  /**
   * Writes a value that expires, reads it back and deletes it, for the readiness check of an orchestrator. Warns once if the
   * server says that it evicts keys when its memory is full; one that may not be asked is not warned about.
   * @param warn Default: `console.warn`.
   * @throws Error if the server does not answer, refuses writes, or does not keep the value or its expiry
   */
  checkStore(warn?: (sentence: string) => void): Promise<void>
  /**
   * What is wrong with the server: it evicts keys, keeps nothing when it restarts, or its clock differs. Writes nothing.
   * A server that may not be asked has no defects.
   */
  findStoreDefects(): Promise<readonly StoreDefect[]>
}

const checkMs = 60_000

/** As far as clocks may differ before records expire at another time than the service assumes. */
const maxClockSeconds = 30

/** What asks a server for its settings. */
interface Settings {
  readonly run: RunOperation
  readonly readSetting: RedisDriver["readSetting"]
}

export function checkMethods({ run, readSetting }: Settings, keys: StoreKeys): RedisCheck {
  let isWarned = false
  return {
    async findStoreDefects() {
      const key = keys.temporary(digestOf("check", createUniqueId()))
      const answer = await run((redis) => redis.run(describeServer, [key]))
      const [memory = "", persistence = "", seconds] = Array.isArray(answer) ? answer.map(String) : []
      const saves = /^aof_enabled:0/m.test(persistence) ? await readSetting("save").catch(() => null) : null
      return [
        ...toEviction(findEviction(memory)),
        ...(saves === "" ? [forgetful] : []),
        ...toClockDefect(Number(seconds) - Date.now() / 1000),
      ]
    },
    async checkStore(warn = (sentence) => console.warn(sentence)) {
      const id = createUniqueId()
      const key = keys.temporary(digestOf("check", id))
      const memory = await run(async (redis) => {
        await redis.run(writeCheck, [key], [id, String(Date.now() + checkMs)])
        return readBack(await redis.run(readCheck, [key]), id)
      })
      const policy = findEviction(memory)
      if (policy === null || isWarned) return
      isWarned = true
      warn(
        `RedisAdapter: the server evicts keys when its memory is full (maxmemory-policy ${policy}), and with them users, or ids that must be used once only. Set maxmemory-policy to noeviction`,
      )
    },
  }
}

function toEviction(policy: string | null): readonly StoreDefect[] {
  if (policy === null) return []
  const sentence = `Redis evicts keys when its memory is full (maxmemory-policy ${policy}), and with them users, or ids that must be used once only`
  return [{ kind: "eviction", sentence, statement: "CONFIG SET maxmemory-policy noeviction" }]
}

const forgetful: StoreDefect = {
  kind: "persistence",
  sentence: "Redis writes nothing to its disk (appendonly no, and no save), so users are gone when it restarts",
  statement: "CONFIG SET appendonly yes",
}

function toClockDefect(aheadSeconds: number): readonly StoreDefect[] {
  if (!(Math.abs(aheadSeconds) > maxClockSeconds)) return []
  const seconds = Math.round(Math.abs(aheadSeconds))
  const sentence = `The clock of Redis is ${seconds} seconds ${aheadSeconds > 0 ? "ahead of" : "behind"} that of this machine`
  return [{ kind: "clock", sentence, statement: "timedatectl set-ntp true" }]
}

/** What the server says about its memory. */
function readBack(answer: unknown, id: string): string {
  const [value, left, memory] = Array.isArray(answer) ? answer : []
  if (value !== id)
    throw new Error("Redis: a value that was just written is not there. Do all commands reach one server?")
  if (!(Number(left) > 0)) throw new Error("Redis: a value that was just written does not expire")
  return String(memory)
}

/** The policy by which the server evicts keys. Null if it evicts none, or says nothing about it. */
function findEviction(memory: string): string | null {
  const fields = new Map(memory.split(/\r?\n/).map((line): [string, string] => [line.split(":", 1)[0] ?? "", line]))
  const read = (name: string) =>
    fields
      .get(name)
      ?.slice(name.length + 1)
      .trim()
  const policy = read("maxmemory_policy")
  return policy === undefined || policy === "noeviction" || Number(read("maxmemory") ?? 0) === 0 ? null : policy
}
