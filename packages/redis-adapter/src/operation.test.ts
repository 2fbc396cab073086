import { describe, expect, it } from "vitest"
import type { RedisDriver } from "./client/redis-driver.js"
import { createOperations } from "./operation.js"
import { spendId } from "./scripts/record-scripts.js"

const pending = () => new Promise<never>(() => undefined)

function driver(parts: Partial<RedisDriver>): RedisDriver {
  return { isReady: () => true, readHash: async () => ({}), runKnown: async () => 1, runText: async () => 1, ...parts }
}

describe("an operation", () => {
  it("sends nothing while there is no connection, and nothing any more once its time is up", async () => {
    const sent: string[] = []
    const connection = { isThere: false }
    const run = createOperations(
      driver({
        isReady: () => connection.isThere,
        async readHash(key) {
          sent.push(key)
          return {}
        },
      }),
      30,
    )
    await expect(run((redis) => redis.readHash("a"))).rejects.toThrow("Redis: no connection within 30 ms")
    connection.isThere = true
    await run((redis) => redis.readHash("b"))
    expect(sent).toEqual(["b"])
  })

  it("takes no further step once its time is up", async () => {
    const slow = Promise.withResolvers<object>()
    const steps = Promise.withResolvers<unknown>()
    const run = createOperations(driver({ readHash: () => slow.promise }), 10)
    const operation = run(async (redis) => {
      await redis.readHash("a")
      await redis.run(spendId, ["b"]).then(steps.resolve, steps.reject)
    })
    await expect(operation).rejects.toThrow("Redis: no answer within 10 ms")
    slow.resolve({})
    await expect(steps.promise).rejects.toThrow("over before this step")
  })

  it("ends in the error of a step, in words of its own", async () => {
    const lost = Object.assign(new Error("Connection is closed."), { command: ["secret"] })
    const run = createOperations(driver({ readHash: () => Promise.reject(lost) }), 1000)
    const error: unknown = await run((redis) => redis.readHash("a")).catch((reason: unknown) => reason)
    expect(error).toStrictEqual(new Error("Redis: Connection is closed."))
  })

  it("sends the text of a script only where the server does not know it", async () => {
    const sent: string[] = []
    const unknown = driver({
      runKnown: () => Promise.reject(new Error("NOSCRIPT No matching script.")),
      async runText({ text }) {
        sent.push(text)
        return 7
      },
    })
    expect(await createOperations(unknown, 1000)((redis) => redis.run(spendId, ["a"]))).toBe(7)
    expect(sent).toEqual([spendId.text])
    const failing = driver({ runKnown: () => Promise.reject(new Error("OOM")), runText: pending })
    await expect(createOperations(failing, 1000)((redis) => redis.run(spendId, ["a"]))).rejects.toThrow("Redis: OOM")
  })
})
