import type { AuthConfig } from "@latchkey/core"
import { Router } from "express"
import { readField } from "../web/form.js"
import type { PasskeyRecords } from "./passkey-records.js"
import { passkeyNameLength } from "./passkeys-section.js"
import { signedIn } from "./signed-in.js"

export interface PasskeyNeeds {
  readonly config: AuthConfig
  readonly passkeys: PasskeyRecords
}

/** What the account page's passkey forms do. */
export function passkeyRoutes({ config, passkeys }: PasskeyNeeds): Router {
  const router = Router()
  router.post(
    "/account/passkeys/rename",
    signedIn(config, async ({ user }, request, response) => {
      const name = readField(request, "name")
      const isName = name !== "" && name.length <= passkeyNameLength
      const isDone = isName && (await passkeys.rename(user.id, readField(request, "id"), name))
      response.redirect(303, `/account?done=${isDone ? "passkey-named" : "passkey-not-named"}`)
    }),
  )
  router.post(
    "/account/passkeys/remove",
    signedIn(config, async ({ user }, request, response) => {
      const isDone = await passkeys.remove(user.id, readField(request, "id"))
      response.redirect(303, `/account?done=${isDone ? "passkey-removed" : "kept"}`)
    }),
  )
  return router
}
