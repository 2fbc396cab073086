import { AuthError } from "@latchkey/core/errors"
import { listen, publicCaching, testIntegration, toWebListener } from "@latchkey/testkit/integration"
import { getAuth } from "../src/index.js"
import { createApp } from "./app.js"

const addresses = new WeakMap<Request, string>()

testIntegration({
  name: "TanStack Start",
  passesOn: true,
  cachedPage: "/cached",
  signInForm: "/login",
  warnsAtStart: true,
  proxySetting: null,
  start(given) {
    const app = createApp(
      { ...given, basePath: "/auth" },
      {
        "/cached": async (_, request) => {
          await getAuth(request).getSession()
          return new Response("the app", { headers: publicCaching })
        },
        "/login": async (auth, request) => {
          try {
            return Response.redirect(await auth.signIn(await request.formData()), 303)
          } catch (error) {
            if (!(error instanceof AuthError)) throw error
            return new Response(error.name, { status: 403 })
          }
        },
      },
      { findSocketAddress: (request) => addresses.get(request) },
    )
    return listen(
      toWebListener((request, { clientAddress = "" }) => {
        addresses.set(request, clientAddress)
        return app(request)
      }),
    )
  },
})
