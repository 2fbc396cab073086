import { describe, expect, it } from "vitest"
import { toRedisFailure } from "./redis-failure.js"

describe("toRedisFailure", () => {
  it("repeats neither the command nor what came with it", () => {
    const refused = Object.assign(new Error("READONLY You can't write"), {
      command: { name: "evalsha", args: ["secret"] },
    })
    const failure = toRedisFailure(refused)
    expect(failure.message).toBe("Redis: READONLY You can't write")
    expect([failure.cause, Object.keys(failure)]).toEqual([undefined, []])
    const quoting = new Error("ERR unknown command 'evalsha', with args beginning with: 'abc' 'secret'")
    expect(toRedisFailure(quoting).message).toBe("Redis: ERR unknown command 'evalsha'")
    expect(toRedisFailure(new Error(`ERR first line\nsecret`)).message).toBe("Redis: ERR first line")
    expect(toRedisFailure(new Error("x".repeat(300))).message).toHaveLength("Redis: ".length + 200)
  })

  it("says something of errors that say nothing", () => {
    const refused = Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" })
    expect(toRedisFailure(refused).message).toBe("Redis: ECONNREFUSED")
    expect(toRedisFailure(new TypeError("")).message).toBe("Redis: TypeError")
    expect(toRedisFailure("secret").message).toBe("Redis: the client failed without an error")
  })
})
