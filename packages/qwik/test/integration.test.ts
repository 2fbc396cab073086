import { listen, publicCaching, testIntegration, toWebListener } from "@latchkey/testkit/integration"
import { signIn } from "../src/actions.js"
import { answerEvent } from "../src/handler.js"
import { toQrl } from "./config.js"
import { createEvent, outcomeOf } from "./events.js"

testIntegration({
  name: "Qwik City's request handlers",
  passesOn: true,
  cachedPage: "/cached",
  signInForm: "/login",
  proxySetting: "ORIGIN=<the app's address>",
  start(config) {
    const find = toQrl(() => config)
    return listen(
      toWebListener(async (request, { clientAddress }) => {
        const event = { ...createEvent(request.url), request, clientConn: clientAddress ? { ip: clientAddress } : {} }
        const answer = await outcomeOf(answerEvent(event, find))
        if (answer) return answer.response
        if (event.url.pathname === "/login") {
          await outcomeOf(signIn(Object.fromEntries(await request.formData()), event, find))
        } else if (event.url.pathname === "/cached") {
          // What `cacheControl` of a layout does, once the plugin has run.
          for (const [name, value] of Object.entries(publicCaching)) event.headers.set(name, value)
        } else return undefined
        const status = event.headers.has("location") ? 303 : 200
        const response = new Response("the app", { status, headers: event.headers })
        for (const [name, value] of event.setCookies) response.headers.append("set-cookie", `${name}=${value}`)
        return response
      }),
    )
  },
})
