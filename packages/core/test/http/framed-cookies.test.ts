import { describe, expect, it } from "vitest"
import { type Answer, post } from "../setup/requests.js"
import { address, openFactors } from "../setup/second-factor-setup.js"

const frame = { sameSite: "none", secure: true, partitioned: true } as const
const framed = { options: frame }
const cookies = {
  sessionToken: { options: { ...frame, domain: "app.test", httpOnly: true } },
  csrfToken: framed,
  callbackUrl: framed,
}

/** The attributes of the cookies that a response sets, except those of the session, by name. */
function attributesOf(answer: Answer): readonly (readonly [string, readonly string[]])[] {
  const own = [...answer.cookies].filter(([name]) => !name.includes("session-token"))
  return own.map(([name, { attributes }]) => [name, attributes.filter((text) => !/^(?:Expires|Max-Age)=/.test(text))])
}

const expected = ["Path=/", "HttpOnly", "Secure", "SameSite=None", "Partitioned"]

describe("a sign-in in a frame of another site", () => {
  it("COOK-21: keeps mailed codes and second factors in partitioned cookies, without the domain of the session", async () => {
    const { host, enroll } = await openFactors({ cookies })
    await enroll()
    const browser = host.newBrowser()
    const mailed = await post(browser, "/auth/signin/email", { email: address })
    const held = await post(browser, "/auth/callback/email", { code: host.mailbox.lastCode() })
    const set = [...attributesOf(mailed), ...attributesOf(held)].filter(([name]) => /mail|held/.test(name))
    expect(set.map(([name]) => name.split(".").slice(0, 2).join("."))).toEqual(
      expect.arrayContaining(["__Host-authjs.mail", "__Host-authjs.held"]),
    )
    for (const [name, attributes] of set) {
      expect(name).toMatch(/^__Host-/)
      expect([...attributes].sort()).toEqual([...expected].sort())
    }
  })
})
