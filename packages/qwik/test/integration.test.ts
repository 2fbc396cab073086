import { integrationConfig, listen, testIntegration, toWebListener } from "@latchkey/testkit/integration"
import { answerEvent } from "../src/handler.js"
import { toQrl } from "./config.js"
import { createEvent, outcomeOf } from "./events.js"

testIntegration({
  name: "Qwik City's request handlers",
  passesOn: true,
  start() {
    const config = integrationConfig()
    const find = toQrl(() => config)
    return listen(
      toWebListener(async (request, { clientAddress }) => {
        const event = { ...createEvent(request.url), request, clientConn: clientAddress ? { ip: clientAddress } : {} }
        return (await outcomeOf(answerEvent(event, find)))?.response
      }),
    )
  },
})
