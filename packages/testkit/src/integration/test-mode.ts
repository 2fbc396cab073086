import type { AuthConfig } from "@latchkey/core/types"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { recordingLogger } from "../log/recorders.js"
import { integrationConfig, type RunningServer } from "./server-under-test.js"
import { askRaw } from "./test-origin.js"

const forgedHost = "evil.test"

/** More than the budget of a network for one minute. */
const manyRequests = 70

/** Values of `NODE_ENV` with which the app does not state that it is developed. */
const productions = [undefined, "production"] as const

const oidc = { id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" } as const

/** Registers the tests of an app that states nothing: neither its mode, nor its URL, nor its host. */
export function testMode(basePath: string, start: (config: AuthConfig) => Promise<RunningServer>): void {
  async function open(NODE_ENV: string | undefined, changes: Partial<AuthConfig> = {}) {
    vi.stubEnv("NODE_ENV", NODE_ENV)
    const { trustHost: _, ...config } = integrationConfig()
    const logger = recordingLogger()
    const secret = `a secret of this test alone: ${crypto.randomUUID()}`
    const server = await start({ ...config, secret, logger, ...changes })
    return { ...server, logger }
  }

  beforeEach(() => {
    for (const name of ["AUTH_URL", "NEXTAUTH_URL", "AUTH_TRUST_HOST"]) vi.stubEnv(name, "")
  })
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it.each(productions)("MODE-01: limits requests with NODE_ENV=%j", async (NODE_ENV) => {
    const server = await open(NODE_ENV, { clientAddress: () => "198.51.100.7", providers: [oidc] })
    const statuses = new Set<number>()
    for (let n = 0; n < manyRequests; n++) {
      const response = await fetch(`${server.origin}${basePath}/callback/oidc?code=c`, { redirect: "manual" })
      await response.text()
      statuses.add(response.status)
    }
    await server.close()
    expect(statuses).toContain(429)
  })

  it.each(productions)("MODE-01, KEY-02: rejects a weak secret with NODE_ENV=%j", async (NODE_ENV) => {
    const { logger, ...server } = await open(NODE_ENV, { secret: "x" })
    const response = await fetch(`${server.origin}${basePath}/session`)
    await response.text()
    await server.close()
    // Once when the app starts, where the integration has the configuration then, and once for the request.
    expect([response.status, new Set(logger.errorTypes())]).toEqual([500, new Set(["InvalidConfiguration"])])
  })

  it.each([...productions, "development", "test"])(
    "MODE-02, HOST-01: trusts its own machine and no foreign host with NODE_ENV=%j",
    async (NODE_ENV) => {
      const { logger, ...server } = await open(NODE_ENV)
      const own = await fetch(`${server.origin}${basePath}/session`)
      expect([own.status, await own.json(), logger.errorTypes()]).toEqual([200, null, []])
      const headers = { host: forgedHost, "x-forwarded-host": forgedHost }
      const foreign = await askRaw(server.origin, `${basePath}/providers`, headers)
      await server.close()
      expect([foreign.status, foreign.body.includes(forgedHost)]).toEqual([500, false])
      expect(logger.errorTypes()).toEqual(["UntrustedHost"])
    },
  )
}

type Start = (config: AuthConfig) => Promise<RunningServer>

interface MistakeOptions {
  readonly basePath: string
  readonly start: Start
  readonly warnsAtStart: boolean
}

/** A missing secret is a warning soon after the start. */
export function testStart(start: Start): void {
  it("warns about a missing secret when the app starts, without a request", async () => {
    for (const name of ["AUTH_SECRET", "NEXTAUTH_SECRET"]) vi.stubEnv(name, "")
    const warnings: string[] = []
    const { secret: _, ...config } = integrationConfig()
    const server = await start({ ...config, logger: { warn: (code) => void warnings.push(code) } })
    await vi.waitFor(() => expect(warnings).toEqual(["secret-missing"]), 5_000)
    await server.close()
    vi.unstubAllEnvs()
  })
}

/** What a mistake in the options does: logged at once by an integration that has the configuration when the app starts. */
export function testMistake({ basePath, start, warnsAtStart }: MistakeOptions): void {
  it("logs a mistake in the configuration as soon as it has the configuration", async () => {
    const logger = recordingLogger()
    // as: an app in JavaScript.
    const session = { strategy: "jtw" } as unknown as AuthConfig["session"]
    const server = await start({ ...integrationConfig(), session, logger })
    const messages = () => logger.errors.map(({ message }) => message)
    const mistake = 'session.strategy: must be "jwt" or "database"'
    const before = messages()
    const response = await fetch(`${server.origin}${basePath}/providers`)
    await response.text()
    await server.close()
    if (warnsAtStart) expect(before).toEqual([mistake])
    expect(response.status).toBe(500)
    expect(messages()).toContain(mistake)
  })
}
