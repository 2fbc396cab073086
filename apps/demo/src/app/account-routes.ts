import type { AuthConfig } from "@latchkey/core"
import { type Request, type Response, Router, urlencoded } from "express"
import type { PasswordStore } from "../passwords/password-store.js"
import { readField } from "../web/form.js"
import { onlyFromOwnPages } from "../web/guards.js"
import { renderAccountPage } from "./account-page.js"
import type { AccountRecords } from "./account-records.js"
import { passkeyProviderId } from "./auth-config.js"
import { readCsrfToken } from "./csrf-token.js"
import type { PasskeyRecords } from "./passkey-records.js"
import { passkeyRoutes } from "./passkey-routes.js"
import { signedIn } from "./signed-in.js"
import type { Visitor } from "./visitor.js"

export interface AccountNeeds {
  readonly origin: string
  readonly config: AuthConfig
  readonly records: AccountRecords
  readonly passkeys: PasskeyRecords
  readonly passwords: PasswordStore
}

/** The account page and what can be done on it. Whoever is not signed in is asked to sign in first, and comes back. */
export function accountRoutes(needs: AccountNeeds): Router {
  const { config, records, origin } = needs
  const router = Router()
  router.get(
    "/account",
    signedIn(config, (visitor, request, response) => showAccount(visitor, request, response, needs)),
  )
  router.use("/account", onlyFromOwnPages(origin), urlencoded({ extended: false, limit: "8kb" }))
  router.post(
    "/account/unlink",
    signedIn(config, ({ user }, request, response) => {
      const account = {
        provider: readField(request, "provider"),
        providerAccountId: readField(request, "providerAccountId"),
      }
      // A passkey is more than its account, and is removed as one.
      const isOther = account.provider !== passkeyProviderId
      const outcome = isOther && records.unlink(user.id, account) ? "removed" : "kept"
      response.redirect(303, `/account?done=${outcome}`)
    }),
  )
  router.use(passkeyRoutes(needs))
  router.post(
    "/account/end-other-sessions",
    signedIn(config, ({ user, reference }, _request, response) => {
      records.endOtherSessions(user.id, reference)
      response.redirect(303, "/account?done=ended")
    }),
  )
  return router
}

const notices: ReadonlyMap<unknown, string> = new Map([
  ["removed", "That way to sign in was removed."],
  ["kept", "Nothing was removed: that was your only way in, or it was gone already."],
  ["ended", "You are signed out everywhere else."],
  ["passkey-added", "Your passkey was added. You can sign in with it from now on."],
  ["passkey-named", "The passkey has a new name."],
  ["passkey-not-named", "The name was not changed: it was empty or too long, or the passkey is gone."],
  [
    "passkey-removed",
    "That passkey was removed. It no longer signs anybody in here; your device may offer it until you delete it there too.",
  ],
])

async function showAccount(visitor: Visitor, request: Request, response: Response, needs: AccountNeeds): Promise<void> {
  const { records, passkeys, passwords } = needs
  const { id } = visitor.user
  const page = renderAccountPage({
    visitor,
    accounts: records.linkedAccounts(id),
    passkeys: await passkeys.list(id),
    username: passwords.findUsername(id),
    emailProvenAt: records.emailProvenAt(id),
    sessions: records.sessions(id),
    csrfToken: await readCsrfToken(request, response, needs),
    notice: notices.get(request.query["done"]) ?? null,
  })
  response.type("html").send(page)
}
