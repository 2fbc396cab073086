import { passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { enroll } from "./account-rows.js"
import { agree, askToken, exchange } from "./feature-rows.js"
import { codeTo, linkTo, press, signUp } from "./sign-in-rows.js"
import {
  address,
  newPassword,
  openStage,
  origin,
  otherAddress,
  person,
  personMark,
  post,
  type Stage,
  type Strategy,
  signIn,
} from "./stage.js"
import { findTold } from "./told.js"

/** What succeeds unless code of the app fails. What comes before it is prepared without failures. */
interface Journey {
  readonly prepare?: (stage: Stage) => Promise<unknown>
  readonly act: (stage: Stage) => Promise<unknown>
}

const passkey = ({ browser }: Stage) => passkeyClient({ browser, device: softwareAuthenticator({ origin }) })

const journeys: Readonly<Record<string, Journey>> = {
  "a sign-in by OpenID Connect": { act: ({ browser }) => browser.signIn("oidc") },
  "a sign-in by OAuth 2.0, and the session": {
    async act({ browser }) {
      await browser.signIn("oauth")
      await browser.session()
      await browser.signOut()
    },
  },
  "a new user by OpenID Connect": {
    prepare: async ({ host }) => host.idp.signInAs({ ...person, sub: "new", email: otherAddress }),
    act: ({ browser }) => browser.signIn("oidc"),
  },
  "a sign-in by the app's own form": {
    async act(stage) {
      await signIn(stage)
      await stage.browser.session()
    },
  },
  "a sign-in by mail": {
    async act(stage) {
      await post(stage.browser, "/auth/signin/email", { email: otherAddress }, "text/html")
      await press(stage)
    },
  },
  "a sign-up by password, and a reset": {
    async act(stage) {
      await signUp(stage)
      await stage.browser.signOut()
      await post(stage.browser, "/auth/password/forgot", { email: otherAddress })
      const fields = { code: codeTo(stage, otherAddress), password: newPassword }
      await post(stage.browser, "/auth/password/reset", fields)
      await post(stage.newBrowser(), "/auth/callback/password", { email: otherAddress, password: newPassword })
    },
  },
  "a passkey": {
    prepare: (stage) => signIn(stage),
    async act(stage) {
      const client = passkey(stage)
      await client.register()
      await client.signIn()
    },
  },
  "a second factor": {
    async act(stage) {
      const { codes } = await enroll(stage)
      const browser = await signIn(stage, stage.newBrowser())
      await post(browser, "/auth/second-factor/recovery", { code: codes[0] ?? "" })
    },
  },
  "a change of the address, undone": {
    prepare: (stage) => signIn(stage),
    async act(stage) {
      const moved = `${personMark}.moved@visitor.example`
      await post(stage.browser, "/auth/account/email", { action: "send", email: moved })
      await post(stage.browser, "/auth/account/email", { action: "confirm", code: codeTo(stage, moved) })
      const { pathname, search } = linkTo(stage, address)
      await post(stage.newBrowser(), `${pathname}${search}`, {}, "text/html")
    },
  },
  "the account area": {
    prepare: (stage) => signIn(stage),
    async act({ browser }) {
      await browser.open("/auth/account")
      await post(browser, "/auth/account/profile", { action: "save", name: `${personMark} New`, image: person.picture })
      await post(browser, "/auth/account/export", { action: "download" })
      await post(browser, "/auth/account/methods", { action: "unlink", provider: "oauth", id: person.sub })
      await post(browser, "/auth/account/sessions", { action: "end-others" })
      await post(browser, "/auth/account/delete", { action: "delete", confirm: address })
    },
  },
  "a native app": {
    async act(stage) {
      const token = await exchange(stage, await agree(stage))
      await stage.send("/auth/session", { headers: { authorization: `Bearer ${token}` } })
    },
  },
  "a token of a provider": { act: (stage) => askToken(stage) },
  "a logout of the provider": {
    prepare: ({ browser }) => browser.signIn("oidc"),
    async act({ host, send }) {
      const body = new URLSearchParams({ logout_token: await host.idp.logoutToken({ claims: { sub: person.sub } }) })
      await send("/auth/backchannel-logout/oidc", { method: "POST", body })
    },
  },
}

/** Makes a journey, as far as it gets. */
async function travel(journey: Journey, strategy: Strategy, failing: string | null): Promise<Stage> {
  const stage = await openStage(strategy)
  await journey.prepare?.(stage)
  stage.app.watch(failing)
  // What follows a failure may miss what the failed step would have shown.
  await journey.act(stage).catch((error: unknown) => {
    if (failing === null) throw error
  })
  return stage
}

// The functions of the app are the same with both strategies, whose own failures have rows in the other test.
const cases = Object.entries(journeys).map(([name, journey], index) => {
  const strategy: Strategy = index % 2 === 0 ? "jwt" : "database"
  return [name, strategy, journey] as const
})

describe("DOC-01: what is told of code of the app that fails and quotes what it got", () => {
  it.each(cases)("in %s, has no secret, with %s sessions", async (_name, strategy, journey) => {
    const { app, host } = await travel(journey, strategy, null)
    expect(host.logger.errors.map(String).join()).toBe("")
    for (const failing of [...app.called]) {
      const stage = await travel(journey, strategy, failing)
      const told = await findTold(stage)
      expect(told, `${failing}\n${told}`).toBe("")
    }
  })
})
