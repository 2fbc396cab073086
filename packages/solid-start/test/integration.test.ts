import { listen, publicCaching, testIntegration, toWebListener } from "@latchkey/testkit/integration"
import { getSession, SolidAuth, signIn } from "../src/index.js"

testIntegration({
  name: "SolidStart's API routes",
  basePath: "/api/auth",
  passesOn: true,
  cachedPage: "/cached",
  signInForm: "/login",
  warnsAtStart: true,
  proxySetting: null,
  start(config) {
    const { GET, POST } = SolidAuth(config)
    const answerPage = async (request: Request) => {
      const response = { headers: new Headers() }
      await getSession({ request, response }, config)
      for (const [name, value] of Object.entries(publicCaching)) response.headers.set(name, value)
      return new Response("the app", response)
    }
    // Chooses the handler as SolidStart does: GET handles HEAD as well.
    const handlers = new Map([
      ["GET", GET],
      ["HEAD", GET],
      ["POST", POST],
    ])
    return listen(
      toWebListener(async (request, { clientAddress }) => {
        const { pathname } = new URL(request.url)
        if (pathname === "/cached") return await answerPage(request)
        if (pathname === "/login") return await signIn({ request, clientAddress }, config, await request.formData())
        return await handlers.get(request.method)?.({ request, clientAddress })
      }),
    )
  },
})
