import { AuthError } from "@latchkey/core/errors"
import { listen, publicCaching, testIntegration, toWebListener } from "@latchkey/testkit/integration"
import { getSession } from "../src/index.js"
import { createApp } from "./app.js"

testIntegration({
  name: "Astro",
  passesOn: true,
  cachedPage: "/cached",
  signInForm: "/login",
  warnsAtStart: true,
  proxySetting: "security.allowedDomains in astro.config",
  start(config) {
    const app = createApp(config, {
      "/cached": async (_, context) => {
        await getSession(context)
        return new Response("the app", { headers: publicCaching })
      },
      "/login": async (auth, { request }) => {
        try {
          return Response.redirect(await auth.signIn(await request.formData()), 303)
        } catch (error) {
          if (!(error instanceof AuthError)) throw error
          return new Response(error.name, { status: 403 })
        }
      },
    })
    return listen(toWebListener((request, { clientAddress = "" }) => app(request, { clientAddress })))
  },
})
