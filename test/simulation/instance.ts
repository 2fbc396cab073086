import { Auth } from "@latchkey/core"
import { getAccessToken } from "@latchkey/core/access-tokens"
import { deleteDueUsers } from "@latchkey/core/account-area"
import { AccessTokenUnavailable } from "@latchkey/core/errors"
import { importFactor, importRecoveryCodes } from "@latchkey/core/second-factors"
import { signOutEverywhere } from "@latchkey/core/sessions"
import type { AuthConfig } from "@latchkey/core/types"
import { deletionJobPath, importPath } from "./features.js"
import { createConfig, createHalf } from "./host.js"
import { appOrigin, halfPath } from "./people.js"
import type { SimulatedProvider } from "./provider.js"
import type { Surroundings } from "./surroundings.js"
import { apiPath } from "./token-rules.js"

/** One process that runs the service. */
export interface Instance {
  readonly index: number
  /** How far its clock is off. */
  driftMs: number
  /** @param address Where the request comes from. */
  answer(request: Request, address: string): Promise<Response>
  /**
   * The process dies: what it had in memory is gone, and what it was about to do never happens. Another takes its place.
   */
  kill(): void
  /** Calls back when the process dies. */
  whenKilled(callback: () => void): void
}

/** Where the host signs a user out everywhere, as for someone who calls its support. */
export const supportPath = "/app/sign-out-everywhere"

export function createInstance(index: number, around: Surroundings): Instance {
  const { random, scheduler, setting, providers } = around
  let config: Omit<AuthConfig, "raw"> = createConfig(index, around)
  let half = createHalf(index, around)
  const inFlight: (() => void)[] = []
  return {
    index,
    driftMs: random.int(8001) - 4000,
    async answer(request, address) {
      const url = new URL(request.url)
      if (url.pathname === apiPath) return askProvider(request, config, providers)
      if (url.pathname === importPath) return importFactors(request, config)
      if (url.pathname === deletionJobPath) {
        await deleteDueUsers(config, appOrigin).catch(() => 0)
        return new Response(null, { status: 204 })
      }
      if (url.pathname !== supportPath) {
        const own = url.pathname.startsWith(`${halfPath}/`) ? half : config
        return Auth(request, own, setting.isNetworkKnown ? { clientAddress: address } : {})
      }
      await signOutEverywhere(config, url.searchParams.get("user") ?? "").catch(() => 0)
      return new Response(null, { status: 204 })
    },
    whenKilled: (callback) => void inFlight.push(callback),
    kill() {
      scheduler.stopInstance(index)
      config = createConfig(index, around)
      half = createHalf(index, around)
      for (const fail of inFlight.splice(0)) fail()
    },
  }
}

/** The answer tells whether the recovery codes were stored. */
async function importFactors(request: Request, config: Omit<AuthConfig, "raw">): Promise<Response> {
  const { user = "", secret = "", codes = "" } = Object.fromEntries(new URLSearchParams(await request.text()))
  const work = async () => {
    await importFactor(config, user, { kind: "totp", secret })
    return importRecoveryCodes(config, user, codes.split(" "))
  }
  return Response.json({ hasCodes: await work().catch(() => false) })
}

/** The query names the provider, and perhaps an account there. The answer has its user id, or the reason why there is none. */
async function askProvider(
  request: Request,
  config: Omit<AuthConfig, "raw">,
  providers: readonly SimulatedProvider[],
): Promise<Response> {
  const { provider = "", providerAccountId } = Object.fromEntries(new URL(request.url).searchParams)
  try {
    const options = { provider, ...(providerAccountId !== undefined && { providerAccountId }) }
    const { accessToken } = await getAccessToken(request, config, options)
    return Response.json({ sub: providers.find(({ id }) => id === provider)?.findOwner(accessToken)?.sub ?? null })
  } catch (error) {
    const reason = error instanceof AccessTokenUnavailable ? error.reason : "failed"
    return Response.json({ reason }, { status: 503 })
  }
}
