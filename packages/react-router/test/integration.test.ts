import { AuthError } from "@latchkey/core/errors"
import { listen, publicCaching, testIntegration, toWebListener } from "@latchkey/testkit/integration"
import { RouterContextProvider } from "react-router"
import { getAuth } from "../src/index.js"
import { createApp } from "./app.js"

const addresses = new WeakMap<object, string>()

testIntegration({
  name: "React Router",
  passesOn: true,
  cachedPage: "/cached",
  signInForm: "/login",
  warnsAtStart: true,
  proxySetting: null,
  start(given) {
    const config = { ...given, basePath: "/auth" }
    const readName = async (context: object) => (await getAuth(context).getSession())?.user?.name ?? null
    const app = createApp(
      config,
      {
        cached: { isPage: true, headers: publicCaching, loader: ({ context }) => readName(context) },
        login: {
          async action({ request, context }) {
            try {
              return Response.redirect(await getAuth(context).signIn(await request.formData()), 303)
            } catch (error) {
              if (!(error instanceof AuthError)) throw error
              return new Response(error.name, { status: 403 })
            }
          },
        },
      },
      { findSocketAddress: (context) => addresses.get(context) },
    )
    return listen(
      toWebListener((request, { clientAddress = "" }) => {
        const context = new RouterContextProvider()
        addresses.set(context, clientAddress)
        return app(request, context)
      }),
    )
  },
})
