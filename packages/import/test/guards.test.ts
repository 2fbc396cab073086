import { readSession as readInService, settingsOf } from "@latchkey/core/integration"
import { readSession } from "@latchkey/core/integration/reader"
import type { AuthConfig } from "@latchkey/core/types"
import { fixedClock, recordingLogger } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { day } from "./setup/fixtures.js"
import { nextAuth } from "./setup/sources.js"

const readers = { "a guard": readSession, "the service": readInService }

describe.each(Object.entries(readers))("a session that %s reads", (_name, read) => {
  async function readWith(cookie: string, changes: Partial<AuthConfig> = {}) {
    const logger = recordingLogger()
    const config: AuthConfig = {
      secret: "the secret of this app, 0123456789-abcdef",
      trustHost: true,
      providers: [],
      session: { accept: [nextAuth.source()] },
      logger,
      ...changes,
    }
    const caller = { headers: new Headers({ cookie }), protocol: "https", host: "app.test" }
    return { logger, answer: await read(caller, settingsOf(config, { env: {} })) }
  }

  it("may be one of another library, and goes on as ours", async () => {
    using _ = fixedClock(day)
    const { answer } = await readWith(nextAuth.header)
    expect(answer.session?.user?.email).toBe("ada@example.com")
    const [own] = answer.cookies.filter(({ value }) => value !== "")
    const again = await readWith(`${own?.name}=${own?.value}`)
    expect(again.answer.session?.user?.email).toBe("ada@example.com")
  })

  it("is none with a forged cookie of another library", async () => {
    using _ = fixedClock(day)
    const { answer, logger } = await readWith("next-auth.session-token=forged")
    expect(answer.session).toBeNull()
    expect(logger.errors).toEqual([])
  })

  it("MIG-15: is nobody's without an adapter where the subject is an account of a provider, and its cookie stays", async () => {
    using _ = fixedClock(day)
    const accept = [nextAuth.source({ owner: { provider: "github" } })]
    const { answer } = await readWith(nextAuth.header, { session: { accept } })
    expect(answer).toEqual({ session: null, cookies: [] })
  })

  it("is unknown with the reason of the failure, also in a browser that has completed a sign-in", async () => {
    using _ = fixedClock(day)
    const mistake = { session: { accept: [nextAuth.source({ allow: () => Promise.reject(new Error("no")) })] } }
    const reading = readWith(`${nextAuth.header}; __Host-authjs.completed=x`, mistake)
    await expect(reading).rejects.toThrow("The session could not be read")
  })
})
