import { type AuthConfig, setEnvDefaults } from "@latchkey/core"
import { accountArea, type Mailer } from "@latchkey/core/account-area"
import Resend from "@latchkey/core/providers/resend"
import { trackSessions } from "@latchkey/core/sessions"
import { memoryAdapter, testEmail } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import { openHost } from "../setup/hosts.js"
import { post } from "../setup/requests.js"

afterEach(() => void vi.unstubAllGlobals())

/** A signed-in user asks for a new address. Returns the body of the call to the mail service. */
async function askForAddress(area: NonNullable<AuthConfig["accountArea"]>) {
  const fetch = vi.fn(async (_: unknown, __: RequestInit) => new Response("{}"))
  vi.stubGlobal("fetch", fetch)
  const host = openHost({
    adapter: memoryAdapter(),
    session: { track: trackSessions() },
    providers: [testEmail()],
    accountArea: area,
  })
  await host.browser.signIn("email", { email: "ada@example.com" })
  await host.browser.open(host.mailbox.lastLink())
  const fields = { action: "send", email: "ada@new.example" }
  const answer = await post(host.browser, "/auth/account/email", fields, { headers: { accept: "application/json" } })
  const [, { body, headers }] = fetch.mock.lastCall ?? [null, { body: "{}", headers: {} }]
  return { status: answer.status, sent: JSON.parse(String(body)), key: new Headers(headers).get("authorization") }
}

describe("the option `mail` of the account area", () => {
  it("takes an email provider that sends whole emails", async () => {
    const mail = Resend({ apiKey: "re_123456", from: "App <no-reply@app.test>" })
    expect(await askForAddress(accountArea({ mail }))).toMatchObject({
      status: 200,
      key: "Bearer re_123456",
      sent: {
        to: "ada@new.example",
        from: "App <no-reply@app.test>",
        subject: "Confirm your new address for app.test",
      },
    })
  })

  it("takes a provider that is not called, with its key from the environment", async () => {
    const config: AuthConfig = { providers: [], accountArea: accountArea({ mail: Resend }) }
    setEnvDefaults({ AUTH_RESEND_KEY: "re_654321" }, config)
    const { accountArea: filled } = config
    if (!filled) throw new Error("The option is gone")
    expect(await askForAddress(filled)).toMatchObject({ status: 200, key: "Bearer re_654321" })
  })

  it.each([
    [{}, "must be an email provider, such as Resend, or { send(mail) }"],
    ["resend", "must be an email provider, such as Resend, or { send(mail) }"],
    [testEmail({ sendVerificationRequest: () => {} }), "sends sign-in emails only"],
    [Resend, "apiKey: is missing"],
  ])("is refused at the start: %o", async (mail, sentence) => {
    // as: JavaScript apps can pass anything.
    const host = openHost({
      adapter: memoryAdapter(),
      accountArea: accountArea({ mail: mail as Mailer }),
      isSearched: false,
    })
    await host.browser.open("/auth/session")
    expect(host.logger.errors[0]?.message).toMatch(/^accountArea\.mail/)
    expect(host.logger.errors[0]?.message).toContain(sentence)
  })
})
