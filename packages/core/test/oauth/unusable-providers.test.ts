import { Credentials } from "@latchkey/core/providers/credentials"
import { GitHub } from "@latchkey/core/providers/github"
import { Loops } from "@latchkey/core/providers/loops"
import { Mailgun } from "@latchkey/core/providers/mailgun"
import { Resend } from "@latchkey/core/providers/resend"
import type { Provider } from "@latchkey/core/types"
import { memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { ask, post } from "../setup/requests.js"
import { passwordProvider } from "../setup/sign-ins.js"

const apiKey = "re_c4n4ry0123456789"

/** Providers that lack what a sign-in needs, and what the log says about each. */
const unusable: readonly (readonly [string, Provider, string])[] = [
  [
    "an email provider without a key",
    Resend({}),
    "providers.resend.apiKey: is missing. You can also set AUTH_RESEND_KEY",
  ],
  ["an email provider that is listed uncalled", Resend, "providers.resend.apiKey: is missing"],
  [
    "a key with a line break",
    Resend({ apiKey: `${apiKey}\n` }),
    "providers.resend.apiKey: must be text without spaces",
  ],
  [
    "a region that does not exist",
    Mailgun({ apiKey, region: "mars" as "eu" }),
    "providers.mailgun.region: must be one of",
  ],
  ["a mail template without an ID", Loops({ apiKey }), "providers.loops.transactionalId: must be the ID"],
  [
    "Credentials without authorize",
    Credentials({ credentials: { u: {} } }),
    "providers.credentials.authorize: missing",
  ],
  ["Credentials that is listed uncalled", Credentials, "providers.credentials.authorize: missing"],
  [
    "a provider without its client ID",
    GitHub({ clientSecret: apiKey }),
    "providers.github.clientId: missing. Set it, or AUTH_GITHUB_ID",
  ],
  [
    "a provider without its client secret",
    GitHub({ clientId: "app" }),
    "providers.github.clientSecret: missing. Set it, or AUTH_GITHUB_SECRET",
  ],
  ["a provider that is listed uncalled", GitHub, "providers.github.clientId: missing"],
]

describe.each(unusable)("%s", (_, provider, sentence) => {
  const open = () =>
    openHost({ providers: [passwordProvider(), provider], adapter: memoryAdapter(), session: { strategy: "jwt" } })
  const [, id = ""] = sentence.split(".")

  it.each(["session", "csrf", "providers", "signin"])("does not keep GET /%s from being answered", async (action) => {
    const host = open()
    expect((await ask(host, `/auth/${action}`)).status).toBe(200)
    expect(host.logger.errors).toEqual([])
  })

  it("is reported once, with the option's name and without its value", async () => {
    const host = open()
    for (const action of ["session", "csrf"]) await ask(host, `/auth/${action}`)
    expect(host.logger.warnings).toEqual(["provider-unusable"])
    expect(host.logger.warningDetails).toEqual([expect.stringContaining(sentence)])
    expect(host.logger.texts().join()).not.toContain("c4n4ry")
  })

  it("refuses only sign-ins with this provider", async () => {
    const host = open()
    const path = id === "credentials" ? "/auth/callback/credentials" : `/auth/signin/${id}`
    const answer = await post(host.browser, path, { email: "v@corp.test", u: "v" })
    expect([answer.status, answer.location]).toEqual([302, "https://app.test/auth/error?error=Configuration"])
    expect(host.logger.errorTypes()).toEqual([id === "credentials" ? "MissingAuthorize" : "InvalidConfiguration"])
    expect((await host.browser.open(answer.location ?? "")).text()).toContain("This way to sign in is not set up")
    await host.browser.signIn("cred", { u: "v", p: "right" })
    expect((await host.browser.session())?.user?.email).toBe("v@corp.test")
  })
})
