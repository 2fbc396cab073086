import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"

const folder = join(import.meta.dirname, "racer")
const hooks = pathToFileURL(join(folder, "typescript-sources.mjs")).href

async function answer(racer: ChildProcess): Promise<unknown> {
  const [message] = await once(racer, "message")
  if ("error" in message) throw new Error(message.error)
  return message.result
}

async function startRacer(): Promise<ChildProcess> {
  const execArgv = ["--conditions=@latchkey/source", "--disable-warning=ExperimentalWarning", "--import", hooks]
  const racer = fork(join(folder, "racer.mjs"), { execArgv, env: { PATH: process.env["PATH"] } })
  await answer(racer)
  return racer
}

describe("several processes on one file", () => {
  let racers: ChildProcess[]
  let data: string
  let path: string

  /** Runs a task in all processes at once, each with its own input. */
  const race = async (task: string, input: (racer: number) => unknown): Promise<unknown[]> =>
    await Promise.all(
      racers.map(async (racer, index) => {
        racer.send([task, input(index)])
        return await answer(racer)
      }),
    )

  const rotated = <T>(items: readonly T[], racer: number): T[] => {
    const start = Math.floor((items.length / racers.length) * racer)
    return [...items.slice(start), ...items.slice(0, start)]
  }

  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), "latchkey-racers-"))
    racers = await Promise.all(Array.from({ length: 4 }, startRacer))
  }, 30_000)
  beforeEach(() => {
    path = join(data, `${crypto.randomUUID()}.db`)
  })
  afterAll(async () => {
    const ends = racers.map(async (racer) => await once(racer, "exit"))
    for (const racer of racers) racer.disconnect()
    await Promise.all(ends)
    rmSync(data, { recursive: true })
  })

  it("create the tables of a new file once", async () => {
    expect(await race("open", () => path)).toEqual(["opened", "opened", "opened", "opened"])
    const { database, close } = sqlite(path)
    expect(database.prepare("select name from latchkey_migration").all()).toHaveLength(5)
    close()
  })

  it("migrate a new file through Kysely once", async () => {
    const applied = await race("migrate", () => path)
    expect(applied.toSorted()).toEqual([0, 0, 0, 5])
  })

  it("use each verification token once", async () => {
    await race("open", () => path)
    const { createVerificationToken, close } = sqlite(path)
    const tokens = Array.from({ length: 50 }, (_, index) => ({
      identifier: "ada@example.com",
      token: `token-${index}`,
    }))
    for (const token of tokens) createVerificationToken({ ...token, expires: new Date("2040-01-01T00:00:00.000Z") })
    const used = (await race("useTokens", (racer) => rotated(tokens, racer))).flat()
    expect(used).toHaveLength(tokens.length)
    expect(used).toEqual(expect.arrayContaining(tokens))
    close()
  })

  it("consume each id once", async () => {
    await race("open", () => path)
    const ids = Array.from({ length: 50 }, (_, index) => `flow-${index}`)
    const consumed = (await race("consumeOnce", (racer) => rotated(ids, racer))).flat()
    expect(consumed.toSorted()).toEqual(ids.toSorted())
  })

  it("create one user for each email", async () => {
    await race("open", () => path)
    const emails = Array.from({ length: 50 }, (_, index) => `user-${index}@example.com`)
    const created = (await race("register", (racer) => rotated(emails, racer))).flat()
    expect(created.toSorted()).toEqual(emails.toSorted())
  })

  it("never decrease a counter", async () => {
    await race("open", () => path)
    const { createUser, createAuthenticator, getAuthenticator, close } = sqlite(path)
    createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
    createAuthenticator({
      credentialID: "key",
      userId: "ada",
      providerAccountId: "key",
      credentialPublicKey: "public",
      counter: 0,
      credentialDeviceType: "singleDevice",
      credentialBackedUp: false,
    })
    const counters = Array.from({ length: 100 }, (_, index) => index)
    await race("count", (racer) => ({ credentialID: "key", counters: rotated(counters, racer) }))
    expect(getAuthenticator("key")).toMatchObject({ counter: 99 })
    close()
  })
})
