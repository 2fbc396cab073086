import { customFetch } from "@latchkey/core"
import type { Adapter } from "@latchkey/core/adapters"
import type { Provider } from "@latchkey/core/types"
import { memoryAdapter, type TestHost, type TestHostOptions, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { ask, get, post } from "../setup/requests.js"
import { passwordProvider, sessionCookie } from "../setup/sign-ins.js"

/** Texts in the errors of the host's code, which a browser must not see. */
const text = "SELECT hunter2hunter2 FROM users at Object.run (/srv/app/db.ts:12:7)"
const fail = () => {
  throw new TypeError(text)
}
const reject = () => Promise.reject(new TypeError(text))

/** The values of `error` that the contract lists. */
const listed = new Set([
  ...["AccessDenied", "AccountNotLinked", "Configuration", "CredentialsSignin", "EmailSignin", "MissingCSRF"],
  ...["OAuthAccountNotLinked", "OAuthCallbackError", "OAuthSignin", "TooManyRequests", "Verification"],
  ...["WebAuthnVerificationError"],
])

/** Sends every kind of request, and ignores the replies. */
async function useEverything(host: TestHost): Promise<void> {
  const { browser, mailbox } = host
  await browser.signIn("oidc")
  await browser.signIn("cred", { u: "v", p: "right" })
  await browser.signIn("email", { email: "grace@corp.test" })
  if (mailbox.messages.length > 0) await browser.open(mailbox.lastLink())
  await post(browser, "/auth/session", { data: "x" })
  for (const path of ["session", "signin?callbackUrl=/x", "providers", "error?error=Configuration", "csrf"]) {
    await get(browser, `/auth/${path}`)
  }
  await ask(host, "/auth/session", { cookie: `${sessionCookie}=${"a".repeat(64)}` })
  await post(browser, "/auth/signout")
}

/** Expects that every response has only a listed code. */
function expectDiscreet({ answers, logger }: TestHost): void {
  for (const { url, headers, body, cookies } of answers) {
    const said = [...Object.values(headers), body, ...cookies].join("\n")
    expect(decodeURIComponent(said.replace(/%(?![\da-f]{2})/gi, "%25")), url).not.toMatch(
      /SELECT|hunter2|\/srv\/|\.ts:\d|^\s*at \S+ \(/m,
    )
    const target = headers["location"] ?? ""
    const code = URL.parse(target, "https://app.test")?.searchParams.get("error")
    if (code && new URL(target, "https://app.test").origin === "https://app.test") expect(listed).toContain(code)
  }
  expect(answers.length).toBeGreaterThan(5)
  expect(logger.errors.length).toBeGreaterThan(0)
}

const open = (options: TestHostOptions) =>
  openHost({
    adapter: memoryAdapter(),
    providers: ({ idp }) => [idp.provider(), testEmail(), passwordProvider()],
    ...options,
  })

const methods: readonly (keyof Adapter)[] = [
  ...(["createUser", "getUser", "getUserByEmail", "getUserByAccount", "updateUser", "linkAccount"] as const),
  ...(["createSession", "getSessionAndUser", "updateSession", "deleteSession"] as const),
  ...(["createVerificationToken", "useVerificationToken"] as const),
]

describe.each(["jwt", "database"] as const)("no reply reveals, with %s sessions", (strategy) => {
  it.each(methods)("LOG-05: the error of adapter.%s", async (method) => {
    const stored = memoryAdapter()
    await stored.createUser({ id: "u-v", name: "V", email: "v@corp.test", emailVerified: null })
    const host = open({ adapter: { ...stored, [method]: reject }, session: { strategy, updateAge: 0 } })
    await useEverything(host)
    if (host.logger.errors.length === 0) await ask(host, "/auth/unheard-of") // This strategy does not call it.
    expectDiscreet(host)
  })

  it.each(["signIn", "redirect", "jwt", "session"] as const)("LOG-05: the error of callbacks.%s", async (name) => {
    for (const broken of [fail, reject]) {
      const host = open({ session: { strategy }, callbacks: { [name]: broken } })
      await useEverything(host)
      if (host.logger.errors.length === 0) await ask(host, "/auth/unheard-of") // This strategy does not call it.
      expectDiscreet(host)
    }
  })

  it.each(["signIn", "signOut", "createUser", "updateUser", "linkAccount", "session"] as const)(
    "LOG-05: what the handler of %s throws",
    async (name) => {
      const host = open({ session: { strategy }, events: { [name]: reject } })
      await useEverything(host)
      expectDiscreet(host)
    },
  )
})

/** A provider with this response at one of its endpoints. */
function answering(provider: Provider, endpoint: string, response: () => Response): Provider {
  const { [customFetch]: ask = fetch, ...rest } = Object(provider)
  return {
    ...rest,
    [customFetch]: async (...[input, init]: Parameters<typeof fetch>) =>
      String(input instanceof Request ? input.url : input).includes(endpoint) ? response() : ask(input, init),
  }
}

describe("no reply reveals", () => {
  it.each(["authorize", "profile", "account", "sendVerificationRequest", "clientAddress"])(
    "LOG-05: what %s throws",
    async (name) => {
      const broken = { [name]: fail }
      const host = open({
        rateLimit: {},
        ...(name === "clientAddress" && broken),
        providers: ({ idp }) => [
          { ...idp.provider(), ...(["profile", "account"].includes(name) && broken) },
          { ...testEmail(), ...(name === "sendVerificationRequest" && broken) },
          passwordProvider(name === "authorize" ? broken : {}),
        ],
      })
      await useEverything(host)
      expectDiscreet(host)
    },
  )

  it.each([
    ["token", () => new Response(text, { status: 500 })],
    ["token", () => Response.json({ error: "invalid_grant", error_description: text }, { status: 400 })],
    ["token", () => Response.json({ access_token: text, id_token: text, token_type: text })],
    ["jwks", () => new Response(text)],
    ["openid-configuration", () => Response.json({ issuer: text, error: text })],
  ] as const)("LOG-05: what a provider answers at its %s endpoint", async (endpoint, response) => {
    const host = open({
      providers: ({ idp }) => [answering(idp.provider(), endpoint, response), testEmail(), passwordProvider()],
    })
    await useEverything(host)
    expectDiscreet(host)
    expect(host.logger.errorTypes()).toContain(
      endpoint === "openid-configuration" ? "OAuthSignInError" : "CallbackRouteError",
    )
  })
})
