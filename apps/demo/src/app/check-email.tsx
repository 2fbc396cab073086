import type { AuthConfig } from "@latchkey/core"
import { AuthError, auth } from "@latchkey/express"
import { Router, urlencoded } from "express"
import { renderCardPage } from "../theme/page.js"
import { onlyFromOwnPages, readField } from "../web/middleware.js"
import { emailProviderId } from "./auth-config.js"

interface CheckEmailOptions {
  readonly origin: string
  readonly config: AuthConfig
}

/** The page after a mail was requested, with a form of the app's own for the code in it. */
export function checkEmailRoutes({ origin, config }: CheckEmailOptions): Router {
  const router = Router()
  router.get("/check-email", (request, response) => {
    response.type("html").send(renderCheckEmailPage({ isWrong: request.query["error"] !== undefined }))
  })
  const readForm = urlencoded({ extended: false, limit: "8kb" })
  router.post("/check-email", onlyFromOwnPages(origin), readForm, async (req, res) => {
    const fields = { code: readField(req, "code") }
    try {
      res.redirect(303, await auth(req, res, config).signIn({ providerId: emailProviderId, fields }))
    } catch (error) {
      if (!(error instanceof AuthError)) throw error
      const isWrong = error.type === "CodeWrong"
      res.redirect(303, isWrong ? "/check-email?error=CodeWrong" : "/auth/signin?error=Verification")
    }
  })
  return router
}

const problemId = "problem"

function renderCheckEmailPage({ isWrong }: { readonly isWrong: boolean }): string {
  return renderCardPage("Check your email", [
    <h1>Check your email</h1>,
    <p>We sent you a link and six digits. Open the link in this browser, or type the digits here.</p>,
    <form method="post" action="/check-email" class="fields">
      {isWrong && (
        <p id={problemId} role="alert" class="alarm">
          That code is not right. Check the newest email.
        </p>
      )}
      <label>
        Code
        <input
          type="text"
          name="code"
          inputmode="numeric"
          autocomplete="one-time-code"
          required
          autofocus
          {...(isWrong && { "aria-invalid": "true", "aria-describedby": problemId })}
        />
      </label>
      <button type="submit" class="button main full">
        Sign in
      </button>
    </form>,
    <p class="quiet">
      In this demo, mail to any address arrives in the demo's own inbox. Read it there as on a phone.
    </p>,
    <a class="button full" href="/inbox" target="_blank" rel="noopener">
      Open the inbox in another tab
    </a>,
    <a class="button full" href="/auth/signin">
      Send it again
    </a>,
  ])
}
