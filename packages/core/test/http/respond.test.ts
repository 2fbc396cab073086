import { type Answer, Auth, respond, type Session } from "@latchkey/core"
import { describe, expect, it } from "vitest"
import { openHost } from "../setup/hosts.js"
import { passwordProvider, sessionCookie } from "../setup/sign-ins.js"

const origin = "https://app.test"

function openFullHost() {
  return openHost({ providers: ({ idp }) => [idp.provider(), passwordProvider()] })
}

function toHeaders({ headers }: Pick<Answer, "headers">): Headers {
  const made = new Headers()
  for (const [name, value] of headers) made.append(name, value)
  return made
}

describe("respond", () => {
  it.each([
    ["an unknown action", "/auth/nothing", {}],
    ["a form without a token", "/auth/signout", { method: "POST", body: new URLSearchParams() }],
    ["a method that is not answered", "/auth/session", { method: "PUT" }],
  ])("rejects %s like Auth", async (_, path, init) => {
    const { config } = openFullHost()
    const [answer, response] = [
      await respond(new Request(`${origin}${path}`, init), config),
      await Auth(new Request(`${origin}${path}`, init), config),
    ]
    expect(answer.status).toBe(response.status)
    expect(answer.body ?? "").toBe(await response.text())
    expect(toHeaders(answer).get("location")).toBe(response.headers.get("location"))
  })

  it("reveals nothing of a session that cannot be serialized", async () => {
    const host = openHost({
      callbacks: { session: () => ({ user: { id: 7n } }) as unknown as Session }, // as: possible in plain JavaScript
    })
    await host.browser.signIn("oidc")
    const cookie = `${sessionCookie}=${host.browser.cookies.get(sessionCookie)}`
    const { status, body } = await respond(new Request(`${origin}/auth/session`, { headers: { cookie } }), host.config)
    expect([status, body]).toEqual([500, expect.stringContaining("could not be written")])
  })

  it.each(["/auth/session", "/auth/providers", "/auth/signin", "/auth/error?error=AccessDenied", "/auth/style.css"])(
    "answers %s with status, headers and body as Auth does",
    async (path) => {
      const { config } = openFullHost()
      const answer = await respond(new Request(`${origin}${path}`), config)
      const response = await Auth(new Request(`${origin}${path}`), config)
      const names = (headers: Headers) => [...headers.keys()].sort()
      expect([answer.status, names(toHeaders(answer))]).toEqual([response.status, names(response.headers)])
      expect(toHeaders(answer).get("content-type")).toBe(response.headers.get("content-type"))
      expect(answer.body?.length).toBe((await response.text()).length)
    },
  )

  it("sends each cookie in its own header", async () => {
    const { headers } = await respond(new Request(`${origin}/auth/signin?callbackUrl=/a`), openFullHost().config)
    const cookies = headers.filter(([name]) => name === "set-cookie").map(([, value]) => value.split("=", 1)[0])
    expect(cookies).toEqual(["__Host-authjs.csrf-token", "__Secure-authjs.callback-url"])
  })
})
