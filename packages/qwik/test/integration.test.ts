import { listen, publicCaching, testIntegration, toWebListener } from "@latchkey/testkit/integration"
import { answerEvent } from "../src/handler.js"
import { toQrl } from "./config.js"
import { createEvent, outcomeOf } from "./events.js"

testIntegration({
  name: "Qwik City's request handlers",
  passesOn: true,
  cachedPage: "/cached",
  proxySetting: "ORIGIN=<the app's address>",
  start(config) {
    const find = toQrl(() => config)
    return listen(
      toWebListener(async (request, { clientAddress }) => {
        const event = { ...createEvent(request.url), request, clientConn: clientAddress ? { ip: clientAddress } : {} }
        const answer = await outcomeOf(answerEvent(event, find))
        if (answer || event.url.pathname !== "/cached") return answer?.response
        // What `cacheControl` of a layout does, once the plugin has run.
        for (const [name, value] of Object.entries(publicCaching)) event.headers.set(name, value)
        const response = new Response("the app", { headers: event.headers })
        for (const [name, value] of event.setCookies) response.headers.append("set-cookie", `${name}=${value}`)
        return response
      }),
    )
  },
})
