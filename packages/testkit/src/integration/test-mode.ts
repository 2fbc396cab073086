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
    expect([response.status, logger.errorTypes()]).toEqual([500, ["InvalidConfiguration"]])
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
