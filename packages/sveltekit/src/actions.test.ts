import { settingsOf } from "@latchkey/core/integration"
import { testProviderSignOut } from "@latchkey/testkit/integration"
import { isRedirect, type RequestEvent } from "@sveltejs/kit"
import { describe } from "vitest"
import { formActions } from "./actions.js"
import { requestAuthFinder } from "./session.js"

describe("the form action signOut with atProvider", () => {
  testProviderSignOut(async ({ config, cookie, atProvider }) => {
    const { signOut } = formActions(requestAuthFinder(async () => settingsOf(config, { env: {} })))
    const url = new URL("http://app.test/logout")
    const event = {
      url,
      request: new Request(url, { method: "POST", headers: { cookie } }),
      cookies: { set: () => {} },
      getClientAddress: () => "192.0.2.1",
    } as unknown as RequestEvent // as: the parts that are read.
    const form = new FormData()
    form.set("redirectTo", "/bye")
    if (atProvider !== undefined) form.set("atProvider", String(atProvider))
    const thrown = await signOut(event, form).catch((error: unknown) => error)
    if (!isRedirect(thrown)) throw thrown
    return thrown.location
  })
})
