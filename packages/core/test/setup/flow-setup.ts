import type { OwnPlaces } from "../../src/checks/begun-at.js"
import {
  createFlows,
  type FlowProvider,
  type Flows,
  type ResumedFlow,
  type StartedFlow,
} from "../../src/checks/oauth-flow.js"
import { createReplayGuard } from "../../src/checks/replay.js"
import { createSealer, type Sealer } from "../../src/crypto/seal.js"
import { resolveCookies } from "../../src/http/own-cookies.js"
import type { ResponseCookie } from "../../src/types/http.js"
import { type KeptCookies, keptCookies } from "./kept-cookies.js"

export const secret = "a secret of at least thirty-two characters"
export const oldSecret = "the secret that was used before this one"

export const oidc: FlowProvider = { id: "oidc", checks: ["pkce", "state", "nonce"], isFormPost: false }
/** Binds flows to one issuer, client and callback address. */
export const clientBinding = "issuer, client and address"
export const redirectUri = "https://app.test/auth/callback/oidc"
export const flowCookies = resolveCookies(undefined, { isSecure: true })
export const stateCookie = flowCookies.state.name
export const verifierCookie = flowCookies.pkceCodeVerifier.name
export const nonceCookie = flowCookies.nonce.name
/** Binds the flows to the browser. */
export const browserCookie = "__Host-authjs.browser"

export interface FlowSetup {
  readonly flows: Flows
  readonly sealer: Sealer
  readonly browser: KeptCookies
  /** Starts a flow in the browser. */
  begin(provider?: FlowProvider, callbackUrl?: string, initiatorId?: string | null): Promise<StartedFlow>
  /** Resumes the flow with the browser's cookies, and keeps the cookies that it sets. */
  resume(state: string | undefined | null, provider?: FlowProvider): Promise<ResumedFlow>
  advance(seconds: number): void
  /** The same service with other secrets, newest first. */
  withSecrets(...secrets: readonly string[]): FlowSetup
}

/** Flows with a real sealer, a browser that keeps cookies, and a fixed time. */
export function flowSetup(
  browser: KeptCookies = keptCookies(),
  cookies = flowCookies,
  places: OwnPlaces | null = null,
): FlowSetup {
  let now = Date.UTC(2030, 0, 1)
  const clock = () => now
  const replayGuard = createReplayGuard(clock)

  function withSecrets(...secrets: readonly string[]): FlowSetup {
    const sealer = createSealer(secrets, clock)
    const flows = createFlows({
      cookies,
      sealer,
      secrets,
      replayGuard,
      clock,
      ttlSeconds: 900,
      ...(places && { places }),
    })
    return {
      flows,
      sealer,
      browser,
      async begin(provider = oidc, callbackUrl = "https://app.test/", initiatorId = null) {
        const jar = browser.jar()
        const started = await flows.begin({
          provider,
          clientBinding,
          redirectUri,
          callbackUrl,
          returnTo: undefined,
          initiatorId,
          jar,
        })
        browser.keep(started.cookies)
        // Ids within one millisecond are not ordered.
        now += 1
        return started
      },
      async resume(state = null, provider = oidc) {
        const resumed = await flows.resume({ provider, clientBinding, redirectUri, state, jar: browser.jar() })
        browser.keep(resumed.cookies)
        return resumed
      },
      advance(seconds) {
        now += seconds * 1000
      },
      withSecrets,
    }
  }

  return withSecrets(secret)
}

/** The id in the names of a flow's cookies. */
export function flowIdOf({ cookies }: { readonly cookies: readonly ResponseCookie[] }): string {
  const set = cookies.find(({ name, value }) => value !== "" && name.startsWith(`${stateCookie}.`))
  return set?.name.slice(stateCookie.length + 1) ?? ""
}
