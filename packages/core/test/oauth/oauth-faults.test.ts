import type { Provider } from "@latchkey/core/types"
import {
  type FakeIdentityProvider,
  type FaultName,
  faultNames,
  faults,
  fixedClock,
  memoryAdapter,
} from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { expectQuiet } from "../setup/sign-ins.js"

/** Slow faults are left to the tests of the deadline. */
const isSlow = (name: FaultName) => /-(hangs|trickles)$/.test(name)

/** The security cases of a fault, by the longest matching prefix of its name. */
const cases: Readonly<Record<string, string>> = {
  "state-missing": "OAU-01",
  "state-changed": "OAU-02",
  "state-duplicated": "OAU-02",
  code: "OAU-12",
  tokens: "OAU-13",
  "tokens-with": "OAU-51",
  "answer-as": "OAU-14",
  "signed-answer": "OAU-14",
  "answer-iss": "OAU-15, OAU-16",
  "answer-in": "OAU-18, OAU-19",
  access: "OAU-20, OAU-21",
  "access-token": "OAU-40",
  error: "OAU-20, LOG-04",
  "discovery-issuer": "OAU-36",
  "discovery-without": "OAU-09",
  "discovery-token": "OAU-45",
  "id-token-iss": "OAU-22",
  "id-token-sub": "OAU-23",
  "id-token-exp": "OAU-23, OAU-26",
  "id-token-iat": "OAU-23",
  "id-token-aud": "OAU-23, OAU-24, OAU-25",
  "id-token-azp": "OAU-25",
  "id-token-ancient": "OAU-26",
  "id-token-from": "OAU-26",
  "id-token-not": "OAU-26",
  "id-token-nonce": "OAU-27",
  "id-token-unsigned": "OAU-28",
  "id-token-hmac": "OAU-29",
  "id-token-other": "OAU-30",
  "id-token-sign": "OAU-31",
  "id-token-kid": "OAU-32",
  keys: "OAU-33",
  "id-token-key": "OAU-34",
  "userinfo-sub": "OAU-37, OAU-39",
  "userinfo-error": "OAU-38",
  "token-": "OAU-40",
  expires: "OAU-40",
  "token-type-in": "OAU-41",
}

function caseOf(name: FaultName): string {
  const trouble = {
    huge: "OAU-42",
    redirects: "OAU-44",
    "not-found": "OAU-38",
    fails: "OAU-38",
    unauthorized: "OAU-38",
  }
  const [, found] = Object.entries(trouble).find(([word]) => name.includes(`-${word}`)) ?? []
  if (found) return `${found}: `
  const [longest] = Object.keys(cases)
    .filter((start) => name.startsWith(start))
    .sort((one, other) => other.length - one.length)
  return longest === undefined ? "" : `${cases[longest]}: `
}

interface Variant {
  readonly id: string
  readonly provider: (idp: FakeIdentityProvider) => Provider
  /** The faults that can occur with this provider. */
  readonly stages: readonly string[]
  /** Faults that other providers must reject, but that this one cannot detect or need not reject. */
  readonly accepted: readonly FaultName[]
  readonly untold?: readonly FaultName[]
}

const variants: readonly Variant[] = [
  {
    id: "oidc",
    provider: (idp) => idp.provider(),
    stages: ["discovery", "jwks", "authorization", "token", "id-token"],
    accepted: [],
  },
  {
    id: "oidc with idToken: false",
    provider: (idp) => idp.provider({ idToken: false }),
    stages: ["userinfo"],
    accepted: [],
  },
  {
    id: "oidc with pushed requests",
    provider: (idp) => idp.provider({ authorization: { pushed: true } }),
    stages: ["pushed"],
    accepted: [],
  },
  {
    id: "oidc with signed answers",
    provider: (idp) => idp.provider({ authorization: { params: { response_mode: "jwt" } } }),
    stages: ["signed-answer"],
    accepted: [],
  },
  {
    id: "oidc with signed answers by a form",
    provider: (idp) => idp.provider({ authorization: { params: { response_mode: "form_post.jwt" } } }),
    stages: ["signed-answer"],
    accepted: [],
    // A form with a repeated field is not read at all, which is tested elsewhere.
    untold: ["signed-answer-duplicated"],
  },
  {
    id: "oauth",
    provider: (idp) => idp.oauthProvider(),
    stages: ["authorization", "token", "userinfo"],
    // The metadata does not promise an `iss`, and without an ID token there is no subject to compare with.
    accepted: ["answer-iss-missing", "userinfo-sub-wrong"],
  },
]

const columns = variants.flatMap((variant) => {
  const names = faultNames(({ stage }) => variant.stages.includes(stage)).filter(
    (name) => !isSlow(name) && !variant.untold?.includes(name),
  )
  const isAccepted = (name: FaultName) => faults[name].outcome === "accepted" || variant.accepted.includes(name)
  return names
    .filter((name) => faults[name].outcome !== "choice")
    .map((name) => ({ variant, name, title: `${caseOf(name)}${name}`, isAccepted: isAccepted(name) }))
})

function openWith({ provider }: Variant) {
  const adapter = memoryAdapter()
  const host = openHost({ adapter, providers: ({ idp }) => [provider(idp)] })
  const [first] = host.config.providers
  return { host, adapter, id: Object(first).id as string } // Each variant has one provider.
}

describe.each(variants)("a faulty provider: $id", (variant) => {
  const rows = columns.filter((column) => column.variant === variant)

  it.each(rows.filter(({ isAccepted }) => !isAccepted))("$title is rejected", async ({ name }) => {
    using clock = fixedClock(Date.now())
    const { host, adapter, id } = openWith(variant)
    const { browser, idp, logger, events } = host
    idp.faults.turnOn(name)
    const page = await browser.signIn(id, { callbackUrl: "/in" })
    expect(page.url.origin + page.url.pathname).toMatch(/^https:\/\/app\.test\/auth\/(signin|error)$/)
    expect([...page.url.searchParams.keys()]).toEqual(["error"])
    expect(logger.errors).toHaveLength(1)
    await expectQuiet(host, browser, adapter)
    expect(host.leaks()).toEqual([])
    idp.faults.clear()
    // Documents of the provider are cached for up to an hour.
    if (/^(discovery|jwks)-/.test(name)) clock.advance({ hours: 1 })
    expect((await browser.signIn(id, { callbackUrl: "/in" })).url.href).toBe("https://app.test/in")
    expect(await browser.session()).not.toBeNull()
    expect([logger.errors.length, events.names().filter((event) => event === "signIn")]).toEqual([1, ["signIn"]])
  })

  const acceptedRows = rows.filter(({ isAccepted }) => isAccepted)
  if (acceptedRows.length === 0) return
  it.each(acceptedRows)("$title is accepted", async ({ name }) => {
    const { host, id } = openWith(variant)
    host.idp.faults.turnOn(name)
    const page = await host.browser.signIn(id, { callbackUrl: "/in" })
    expect([page.url.href, host.logger.errors]).toEqual(["https://app.test/in", []])
    expect(await host.browser.session()).not.toBeNull()
    expect(host.idp.requests.elsewhere).toEqual([])
  })
})

describe("requests of a rejected flow", () => {
  it.each([
    "state-missing",
    "state-changed",
    "state-duplicated",
    "code-missing",
    "code-duplicated",
    "code-beside-error",
    "tokens-in-the-answer",
    "answer-as-a-jwt",
    "answer-iss-wrong",
    "access-denied",
  ] as const)("%s: no token request is sent", async (name) => {
    const { browser, idp } = openHost()
    idp.faults.turnOn(name)
    await browser.signIn("oidc")
    expect(idp.requests.token).toEqual([])
  })

  it.each(faultNames(() => true).filter((name) => name.includes("-redirects")))(
    "OAU-44: %s: no request follows the redirect",
    async (name) => {
      const { browser, idp } = openHost({
        providers: ({ idp }) => [idp.provider({ idToken: !name.startsWith("userinfo") })],
      })
      idp.faults.turnOn(name)
      await browser.signIn("oidc")
      expect(idp.requests.elsewhere).toEqual([])
    },
  )

  it.each([
    "discovery-token-endpoint-plain-http",
    "discovery-token-endpoint-link-local",
    "discovery-token-endpoint-file",
  ] as const)("OAU-45: %s: no code is sent there", async (name) => {
    const { browser, idp } = openHost()
    idp.faults.turnOn(name)
    await browser.signIn("oidc")
    expect(idp.requests.elsewhere).toEqual([])
  })
})

describe("the error page of a rejected flow", () => {
  it.each([
    ["access-denied", "/auth/signin?error=OAuthCallbackError"],
    ["error-with-markup", "/auth/signin?error=OAuthCallbackError"],
    ["access-denied-without-state", "/auth/signin?error=OAuthCallbackError"],
    ["state-changed", "/auth/error?error=Configuration"],
    ["id-token-expired", "/auth/error?error=Configuration"],
    ["discovery-issuer-wrong", "/auth/signin?error=OAuthSignin"],
  ] as const)("%s ends on %s", async (name, endPath) => {
    const { browser, idp } = openHost()
    idp.faults.turnOn(name)
    const { url } = await browser.signIn("oidc")
    expect(url.pathname + url.search).toBe(endPath)
  })

  it("OAU-20, LOG-04: shows no text of the provider, and logs it on one line", async () => {
    for (const name of ["error-with-markup", "error-with-line-breaks"] as const) {
      const host = openHost()
      host.idp.faults.turnOn(name)
      await host.browser.signIn("oidc")
      expect(host.answers.map(({ body }) => body).join()).not.toMatch(/<img src=x|alert\(|a line of mine/)
      const [error] = host.logger.errors
      expect(Object(error).cause.error_description).not.toMatch(/[\r\n]/)
    }
  })

  it("OAU-21: a forged error does not affect the pending flow", async () => {
    const { browser, idp } = openHost()
    const tab = browser.newTab()
    idp.faults.turnOn({
      response: (answer, { endpoint }) => (endpoint === "authorization" ? new Response("wait") : answer),
    })
    const waiting = await browser.signIn("oidc", { callbackUrl: "/in" })
    await tab.open("/auth/callback/oidc?error=access_denied&state=forged", { from: "https://evil.test" })
    idp.faults.clear()
    expect((await browser.open(waiting.url)).url.href).toBe("https://app.test/in")
    expect(await browser.session()).not.toBeNull()
  })
})
