import { connect, createServer } from "node:net"
import { afterEach, describe, expect, it, vi } from "vitest"
import { startMariadb, startPostgres } from "./databases.js"
import { findFreePort, findProgram, hasProgram, startProgram } from "./program.js"
import { startRedis } from "./redis.js"

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describe("hasProgram", () => {
  it("warns about skipped tests, and throws in CI", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {})
    vi.stubEnv("CI", "")
    expect(hasProgram("no-such-program")).toBe(false)
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("SKIPPED: no-such-program"))
    vi.stubEnv("CI", "true")
    expect(() => hasProgram("no-such-program")).toThrow("no-such-program is not installed")
  })

  it("finds installed programs", () => {
    expect(hasProgram("sh")).toBe(true)
    expect(findProgram("sh")).toMatch(/\/sh$/)
    expect(findProgram("no-such-program")).toBeUndefined()
  })
})

describe("startProgram", () => {
  it("throws with the program's output if it does not start", async () => {
    const port = await findFreePort()
    const started = startProgram({ name: "sh", args: ["-c", "echo no room left >&2; exit 1"], port })
    await expect(started).rejects.toThrow("no room left")
    await expect(startProgram({ name: "no-such-program", args: [], port })).rejects.toThrow("not installed")
  })
})

describe("findFreePort", () => {
  it("returns a port that is free, and that the system gives to nothing else", async () => {
    const server = createServer()
    const port = await findFreePort()
    expect(port).toBeLessThan(32_768)
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
    await new Promise((resolve) => server.close(resolve))
  })
})

describe.each([
  ["postgres", startPostgres],
  ["mariadbd", startMariadb],
] as const)("a database server", (name, start) => {
  it.skipIf(!hasProgram(name))(
    `starts, halts, resumes and stops (${name})`,
    async () => {
      const server = await start()
      const reach = () =>
        new Promise<string>((resolve) => {
          const socket = connect(Number(new URL(server.url).port), "127.0.0.1")
          socket.once("connect", () => resolve("reached"))
          socket.once("error", (error) => resolve(error.message))
          socket.once("close", () => socket.destroy())
          socket.once("connect", () => socket.end())
        })
      try {
        expect(await reach()).toBe("reached")
        await server.halt()
        expect(await reach()).toContain("ECONNREFUSED")
        await server.resume()
        expect(await reach()).toBe("reached")
      } finally {
        await server.stop()
        await server.stop()
      }
      expect(await reach()).toContain("ECONNREFUSED")
    },
    60_000,
  )
})

describe.skipIf(!hasProgram("redis-server"))("startRedis", () => {
  const say = (url: string, text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(text))
      socket.once("data", (answer) => {
        resolve(String(answer))
        socket.destroy()
      })
      socket.once("error", reject)
    })

  it("starts independent servers, and stops them", async () => {
    const servers = await Promise.all([startRedis(), startRedis()])
    const [one, other] = servers
    expect(await say(one.url, "SET a 1\r\n")).toBe("+OK\r\n")
    expect(await say(other.url, "GET a\r\n")).toBe("$-1\r\n")
    for (const server of servers) await server.stop()
    await one.stop()
    await expect(say(one.url, "PING\r\n")).rejects.toThrow("ECONNREFUSED")
  })

  it("restarts at the same URL, with settings and without data", async () => {
    const port = await findFreePort()
    const before = await startRedis({ port })
    await say(before.url, "SET a 1\r\n")
    await before.stop()
    const after = await startRedis({ port, settings: { requirepass: "sesame" } })
    expect(after.url).toBe(before.url)
    expect(await say(after.url, "GET a\r\n")).toContain("NOAUTH")
    await after.stop()
  })
})
