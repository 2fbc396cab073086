import { EventEmitter } from "node:events"
import { describe, expect, it } from "vitest"
import { createOperations, type RedisDriver, toDriver } from "./client.js"
import { consumeId } from "./scripts.js"

const pending = () => new Promise<never>(() => undefined)

function driver(parts: Partial<RedisDriver>): RedisDriver {
  return {
    isReady: () => true,
    noteErrors: () => () => undefined,
    readHash: async () => ({}),
    readSetting: async () => null,
    runKnown: async () => 1,
    runText: async () => 1,
    ...parts,
  }
}

describe("createOperations", () => {
  it("sends no command without a connection, nor after the deadline", async () => {
    const sent: string[] = []
    const connection = { isReady: false }
    const run = createOperations(
      driver({
        isReady: () => connection.isReady,
        async readHash(key) {
          sent.push(key)
          return {}
        },
      }),
      30,
    )
    await expect(run((redis) => redis.readHash("a"))).rejects.toThrow("Redis: no connection within 30 ms")
    connection.isReady = true
    await run((redis) => redis.readHash("b"))
    expect(sent).toEqual(["b"])
  })

  it("says why there is no connection, and listens with one function while somebody waits", async () => {
    const client = Object.assign(new EventEmitter(), {
      status: "connecting",
      hgetall: pending,
      evalsha: pending,
      eval: pending,
    })
    const run = createOperations(toDriver(client), 30)
    const waiting = [run((redis) => redis.readHash("a")), run((redis) => redis.readHash("b"))]
    expect(client.listenerCount("error")).toBe(1)
    client.emit("error", new Error("WRONGPASS invalid username-password pair"))
    for (const operation of waiting)
      await expect(operation).rejects.toThrow(
        "Redis: no connection within 30 ms (WRONGPASS invalid username-password pair)",
      )
    expect(client.listenerCount("error")).toBe(0)
  })

  it("runs no further step after the deadline", async () => {
    const slow = Promise.withResolvers<object>()
    const steps = Promise.withResolvers<unknown>()
    const run = createOperations(driver({ readHash: () => slow.promise }), 10)
    const operation = run(async (redis) => {
      await redis.readHash("a")
      await redis.run(consumeId, ["b"]).then(steps.resolve, steps.reject)
    })
    await expect(operation).rejects.toThrow("Redis: no response within 10 ms")
    slow.resolve({})
    await expect(steps.promise).rejects.toThrow("ended before this step")
  })

  it("repeats a script whose keys are moving to another node, until the deadline", async () => {
    const answers = { count: 0 }
    const moving = driver({
      async runKnown() {
        answers.count += 1
        if (answers.count < 3) throw new Error("TRYAGAIN Multiple keys request during rehashing of slot")
        return 7
      },
    })
    expect(await createOperations(moving, 5000)((redis) => redis.run(consumeId, ["a"]))).toBe(7)
    const stuck = driver({ runKnown: () => Promise.reject(new Error("TRYAGAIN")) })
    const run = createOperations(stuck, 30)
    await expect(run((redis) => redis.run(consumeId, ["a"]))).rejects.toThrow("Redis: no response within 30 ms")
  })

  it("does not send the text of a script after the deadline", async () => {
    const [slow, step] = [Promise.withResolvers<never>(), Promise.withResolvers<unknown>()]
    const sent: string[] = []
    const unknown = driver({
      runKnown: () => slow.promise,
      async runText({ text }) {
        sent.push(text)
        return 7
      },
    })
    const operation = createOperations(
      unknown,
      10,
    )(async (redis) => {
      await redis.run(consumeId, ["a"]).then(step.resolve, step.reject)
    })
    await expect(operation).rejects.toThrow("Redis: no response within 10 ms")
    slow.reject(new Error("NOSCRIPT No matching script."))
    await expect(step.promise).rejects.toThrow("ended before this step")
    expect(sent).toEqual([])
  })

  it("sends the text of a script only if the server does not know it", async () => {
    const sent: string[] = []
    const unknown = driver({
      runKnown: () => Promise.reject(new Error("NOSCRIPT No matching script.")),
      async runText({ text }) {
        sent.push(text)
        return 7
      },
    })
    expect(await createOperations(unknown, 1000)((redis) => redis.run(consumeId, ["a"]))).toBe(7)
    expect(sent).toEqual([consumeId.text])
    const failing = driver({ runKnown: () => Promise.reject(new Error("OOM")), runText: pending })
    await expect(createOperations(failing, 1000)((redis) => redis.run(consumeId, ["a"]))).rejects.toThrow("Redis: OOM")
  })
})

describe("the error of a failed step", () => {
  /** Runs an operation whose step fails with this error. */
  async function failureOf(reason: unknown): Promise<Error> {
    const run = createOperations(driver({ readHash: () => Promise.reject(reason) }), 1000)
    const failure: unknown = await run((redis) => redis.readHash("a")).catch((error: unknown) => error)
    if (!(failure instanceof Error)) throw new Error("The operation did not fail")
    return failure
  }

  it("is a new error without the client's properties", async () => {
    const lost = Object.assign(new Error("Connection is closed."), { command: ["secret"] })
    expect(await failureOf(lost)).toStrictEqual(new Error("Redis: Connection is closed."))
  })

  it("contains neither the command nor its arguments", async () => {
    const refused = Object.assign(new Error("READONLY You can't write"), {
      command: { name: "evalsha", args: ["secret"] },
    })
    const failure = await failureOf(refused)
    expect(failure.message).toBe("Redis: READONLY You can't write")
    expect([failure.cause, Object.keys(failure)]).toEqual([undefined, []])
    const quoting = new Error("ERR unknown command 'evalsha', with args beginning with: 'abc' 'secret'")
    expect(await failureOf(quoting)).toMatchObject({ message: "Redis: ERR unknown command 'evalsha'" })
    expect(await failureOf(new Error("ERR first line\nsecret"))).toMatchObject({ message: "Redis: ERR first line" })
    const { message } = await failureOf(new Error("x".repeat(300)))
    expect(message).toHaveLength("Redis: ".length + 200)
  })

  it("falls back to the code or the name of an error without a message", async () => {
    const refused = Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" })
    expect(await failureOf(refused)).toMatchObject({ message: "Redis: ECONNREFUSED" })
    expect(await failureOf(new TypeError(""))).toMatchObject({ message: "Redis: TypeError" })
    expect(await failureOf("secret")).toMatchObject({ message: "Redis: the client failed without an error" })
  })
})
