import { describe, expect, it } from "vitest"
import { answerRequest } from "./answer-request.js"
import type { Caller } from "./caller.js"
import { type HostConfig, type MountOptions, settingsOf } from "./settings.js"

const config: HostConfig = {
  providers: [{ id: "password", name: "Password", type: "credentials", credentials: {}, authorize: () => null }],
  secret: "a secret of at least thirty-two characters",
  trustHost: true,
  logger: { error: () => {}, warn: () => {}, debug: () => {} },
}

/** What the app behind a proxy sees of a request to it. */
function ask(caller: Partial<Caller> = {}, env: MountOptions["env"] = {}, init?: RequestInit): Promise<Response> {
  const request = new Request("http://inner.test:3000/auth/providers?a=1", init)
  return answerRequest(
    request,
    { headers: new Headers({ host: "inner.test:3000" }), ...caller },
    settingsOf(config, { env }),
  )
}

const signInUrlOf = async (response: Response) => Object((await response.json()).password).signinUrl

describe("the service's answer to a Web request", () => {
  it("HOST-01: is a refusal where the host is none", async () => {
    const response = await ask({ host: "app.test/evil" })
    expect([response.status, await response.json()]).toEqual([400, "Bad request."])
  })

  it("is under the origin of AUTH_URL, whatever the request says", async () => {
    const env = { AUTH_URL: "https://app.test/auth" }
    expect(await signInUrlOf(await ask({ host: "evil.test" }, env))).toBe("https://app.test/auth/signin/password")
  })

  it("is else under what the framework found out", async () => {
    const response = await ask({ protocol: "http:", host: "inner.test:3000" })
    expect(await signInUrlOf(response)).toBe("http://inner.test:3000/auth/signin/password")
    expect(await signInUrlOf(await ask({ host: "app.test" }))).toBe("https://app.test/auth/signin/password")
  })

  it("reads the body of a request whose origin is another one", async () => {
    const request = new Request("http://inner.test/auth/callback/password", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{",
    })
    const settings = settingsOf(config, { env: { AUTH_URL: "https://app.test/auth" } })
    expect((await answerRequest(request, { headers: request.headers }, settings)).status).toBe(400)
  })
})
