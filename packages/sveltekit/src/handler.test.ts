import { describe, expect, it } from "vitest"
import { SvelteKitAuth, withRenewed } from "./handler.js"

const renewed = "session=new; Path=/; HttpOnly"

function createResponse(headers: HeadersInit = {}): Response {
  return new Response("page", { headers })
}

describe("SvelteKitAuth", () => {
  it("logs a mistake in the configuration at once, without a request", () => {
    const messages: string[] = []
    const logger = { error: ({ message }: Error) => void messages.push(message) }
    const debug = "true" as unknown as boolean // as: an app in JavaScript.
    SvelteKitAuth({ providers: [], debug, logger })
    expect(messages).toEqual(["debug: must be true or false"])
  })
})

describe("withRenewed", () => {
  it.each([
    { "cache-control": "public, max-age=60" },
    { "cache-control": "max-age=0, S-MaxAge=60" },
    { "cdn-cache-control": "max-age=60" },
    { "vercel-cdn-cache-control": "max-age=60" },
    { "surrogate-control": "max-age=60" },
  ])("leaves %j of a response without cookies of the service unchanged, and forbids it with them", (headers) => {
    const response = createResponse(headers)
    expect(withRenewed(response, [])).toBe(response)
    for (const changed of [withRenewed(response, [renewed]), withRenewed(response, [], true)]) {
      const { "content-type": _, "set-cookie": __, ...rest } = Object.fromEntries(changed.headers)
      expect(rest).toEqual({ "cache-control": "private, no-store" })
    }
  })

  it.each([{}, { "cache-control": "private, max-age=60" }, { "cdn-cache-control": "no-store" }])(
    "adds the cookie to a response with %j",
    async (headers) => {
      const response = withRenewed(createResponse({ ...headers, "set-cookie": "own=x" }), [renewed])
      expect(response.headers.getSetCookie()).toEqual(["own=x", "session=new; Path=/; HttpOnly"])
      expect(await response.text()).toBe("page")
    },
  )
})
