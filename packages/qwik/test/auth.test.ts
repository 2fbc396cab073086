import { findSharedCaching, integrationConfig, publicCaching, testUserAuth } from "@latchkey/testkit/integration"
import { describe, expect, it } from "vitest"
import { answerEvent } from "../src/handler.js"
import { getAuth } from "../src/session.js"
import { toQrl } from "./config.js"
import { Abort, createEvent, origin, outcomeOf } from "./events.js"

describe("auth in Qwik City", () => {
  testUserAuth(
    (config, route) => {
      const find = toQrl(() => config)
      async function handler(request: Request): Promise<Response> {
        const event = { ...createEvent(request.url), request }
        const ended = await outcomeOf(answerEvent(event, find))
        if (ended?.response) return ended.response
        if (event.url.pathname !== "/form") return new Response("the app")
        const answer = await route(getAuth(event)).catch((thrown: unknown) => {
          if (!(thrown instanceof Abort)) throw thrown
          const { response, location = "" } = thrown
          return response ?? new Response(null, { status: 303, headers: { location } })
        })
        const response = new Response(answer?.body ?? null, answer ?? {})
        event.headers.forEach((value, name) => {
          response.headers.set(name, value)
        })
        const own = response.headers.getSetCookie()
        response.headers.delete("set-cookie")
        for (const [name, value] of event.setCookies) response.headers.append("set-cookie", `${name}=${value}`)
        for (const line of own) response.headers.append("set-cookie", line)
        return response
      }
      return { origin, handler }
    },
    { needsOrigin: false, renews: "always" },
  )

  it.each(["text/html", "*/*"])(
    "keeps its refusal of a client that accepts %s out of shared caches",
    async (accept) => {
      const event = createEvent("/private", { headers: { accept } })
      await answerEvent(event, toQrl(integrationConfig))
      // What `cacheControl` of a layout does.
      for (const [name, value] of Object.entries(publicCaching)) event.headers.set(name, value)
      await expect(getAuth(event).requireAuth()).rejects.toBeInstanceOf(Abort)
      expect(findSharedCaching(event.headers)).toEqual([])
    },
  )

  it("throws for an event that onRequest has not seen", () => {
    expect(() => getAuth(createEvent("/"))).toThrow("Export onRequest of QwikAuth$")
  })
})
