import { Auth } from "@latchkey/core"
import { accessTokens, getAccessToken } from "@latchkey/core/access-tokens"
import { hashSessionTokens } from "@latchkey/core/adapters"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { trackSessions } from "@latchkey/core/sessions"
import { authenticatorApp } from "@latchkey/testkit"
import { type App, type AppOptions, origin, type Peer, proxyAddress } from "../app.ts"
import { openContractApp, post } from "./contract.ts"

export const latchkey: Peer = {
  id: "latchkey",
  packageName: "@latchkey/core",
  lacks: {},
  open: openApp,
}

async function openApp(options: AppOptions): Promise<App> {
  const app = await openContractApp(
    (request, config) => Auth(request, config, { clientAddress: proxyAddress }),
    options,
    {
      allowedOrigins: [origin],
      trustedProxies: [proxyAddress],
      // Asks the store at each check, so that an ended session ends at once.
      session: { track: trackSessions({ checkEvery: 0 }) },
      secondFactors: secondFactors({ factors: [totp({ issuer: "Compare" }), recoveryCodes()] }),
      accessTokens: accessTokens(),
      wrapStore: hashSessionTokens,
    },
  )
  // Another configuration shares nothing but the store.
  const instances = [app.config, { ...app.config }, { ...app.config }]
  return {
    ...app,
    totp: {
      async enroll(browser) {
        const begun = await post(browser, "/auth/account/factors", { action: "begin-totp" })
        const { ticket, secret } = (await begun.json()) as { ticket: string; secret: string }
        // The code before the current one, which is accepted for 30 seconds more, and leaves the current one unused.
        const before = authenticatorApp(secret, () => Date.now() - 30_000)
        await post(browser, "/auth/account/factors", { action: "confirm-totp", ticket, code: await before.code() })
        return authenticatorApp(secret).code
      },
      async verify(browser, code) {
        await post(browser, "/auth/second-factor/totp", { code })
        return (await app.whoIs(browser)) !== null
      },
    },
    async refresh(browser, instance = 0) {
      const cookie = browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
      const request = new Request(origin, { headers: { cookie: cookie.join("; ") } })
      return getAccessToken(request, instances[instance] ?? app.config, { provider: "oidc" }).then(
        () => true,
        () => false,
      )
    },
  }
}
