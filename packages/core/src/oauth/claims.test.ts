import { describe, expect, it } from "vitest"
import {
  complete,
  createFakeProvider,
  oauthProvider,
  oidcProvider,
  rejectionOf,
} from "../../test/setup/fake-provider.js"
import type { OIDCConfig } from "../types/oauth-provider.js"
import { mergeClaims } from "./claims.js"

/** Completes a sign-in whose ID token and userinfo response have these claims. */
async function signIn(idToken: object, userinfo: object | Response, changes: Partial<OIDCConfig> = {}) {
  const fake = await createFakeProvider()
  const { email: _, name: __, ...others } = fake.claims()
  fake.answerIdToken(await fake.sign({ ...others, ...idToken }))
  fake.answer("userinfo", () => (userinfo instanceof Response ? userinfo : Response.json(userinfo)))
  const work = complete(oidcProvider(fake, changes))
  return { work, hits: () => fake.hits("userinfo") }
}

const sub = "subject-1"
const email = "ada@example.test"

describe("mergeClaims", () => {
  it.each([
    [
      { sub, name: "Ada" },
      { sub, name: "Other", email },
      { sub, name: "Ada", email },
    ],
    [
      { sub, name: null, email: "" },
      { name: "Ada", email },
      { sub, name: "Ada", email },
    ],
    [{ sub }, { iss: "i", aud: "a", exp: 1, nonce: "n", acr: "high" }, { sub, acr: "high" }],
    [{ sub }, JSON.parse('{"__proto__":{"x":1},"constructor":1}'), { sub }],
  ])("fills %j in from %j", (first, second, merged) => {
    expect(mergeClaims(first, second)).toEqual(merged)
  })

  it.each([
    [{ email: "a@x.test" }, { email: "b@x.test", email_verified: true }, { email: "a@x.test" }],
    [{ email: "a@x.test" }, { email: "a@x.test", email_verified: true }, { email: "a@x.test", email_verified: true }],
    [{ email: "a@x.test" }, { email_verified: true }, { email: "a@x.test" }],
    [{ email_verified: true }, { email: "b@x.test" }, { email: "b@x.test" }],
    [
      { email_verified: true },
      { email: "b@x.test", email_verified: false },
      { email: "b@x.test", email_verified: false },
    ],
    [
      { email: "a@x.test", email_verified: false },
      { email: "a@x.test", email_verified: true },
      { email: "a@x.test", email_verified: false },
    ],
    [{ email: "a@x.test", email_verified: true }, {}, { email: "a@x.test", email_verified: true }],
    [
      { email: "a@x.test", email_verified: null },
      { email: "a@x.test", email_verified: false },
      { email: "a@x.test", email_verified: false },
    ],
    [{ phone_number: "1" }, { phone_number: "2", phone_number_verified: true }, { phone_number: "1" }],
  ])("LINK-03: never takes the address of one place for verified by another: %j and %j", (first, second, merged) => {
    expect(mergeClaims(first, second)).toEqual(merged)
  })
})

describe("a profile from the ID token", () => {
  it("is completed by the userinfo endpoint if a granted scope has no claim", async () => {
    const { work, hits } = await signIn({ name: "Ada" }, { sub, name: "Other", email, groups: ["a"] })
    const { user, profile } = await work
    expect([user.name, user.email, profile["groups"], hits()]).toEqual(["Ada", email, ["a"], 1])
  })

  it.each([
    ["the token is complete", { name: "Ada", email }, {}],
    ["the scopes did not ask for more", {}, { authorization: { params: { scope: "openid" } } }],
    ["another name is there", { nickname: "ada", email }, {}],
  ])("costs no request if %s", async (_, claims, changes) => {
    const { work, hits } = await signIn(claims, { sub, email: "other@example.test" }, changes)
    await work
    expect(hits()).toBe(0)
  })

  it("is completed with what the claims parameter asks the endpoint for", async () => {
    const authorization = { params: { scope: "openid", claims: { userinfo: { department: null } } } }
    const { work } = await signIn({}, { sub, department: "engines" }, { authorization })
    expect((await work).profile["department"]).toBe("engines")
  })

  it("OAU-37: is refused if the endpoint names another subject", async () => {
    const { work } = await signIn({}, { sub: "subject-2", email })
    expect((await rejectionOf(work)).message).toMatch(/"sub"/)
  })

  it.each([
    ["is away", new Response("down", { status: 503 })],
    ["names no subject", Response.json({ email })],
    ["does not answer JSON", new Response("<html>")],
  ])("stays as it is if the endpoint %s", async (_, answer) => {
    const { work, hits } = await signIn({ name: "Ada" }, answer)
    const { user } = await work
    expect([user.name, user.email ?? null, hits()]).toEqual(["Ada", null, 1])
  })
})

describe("a profile from the userinfo endpoint", () => {
  it.each([
    ["the endpoint", {}],
    ["userinfo.request", { userinfo: { request: () => ({ sub, name: "Ada" }) } }],
  ])("gets the claims that only the ID token has, with %s", async (_, changes) => {
    const { work } = await signIn(
      { name: "Other", email, amr: ["mfa"] },
      { sub, name: "Ada" },
      { idToken: false, ...changes },
    )
    const { user, profile } = await work
    expect([user.name, user.email, profile["amr"], profile["nonce"]]).toEqual(["Ada", email, ["mfa"], undefined])
  })
})

describe("LOUT-07: what a userinfo response says about the sign-in", () => {
  const planted = { sub, name: "Ada", email, sid: "another", amr: ["mfa"], acr: "high", auth_time: 1 }
  const nothing = { sid: undefined, amr: undefined, acr: undefined, auth_time: undefined }
  const own = { sid: "own", amr: ["pwd"], acr: "low", auth_time: 2 }
  const hook = { request: () => planted }
  const kinds: [string, Partial<OIDCConfig>][] = [
    ["that completes the ID token", {}],
    ["that is the profile", { idToken: false }],
    ["of userinfo.request", { idToken: false, userinfo: hook }],
  ]

  it.each(kinds)("is not in a profile %s", async (_, changes) => {
    const { work } = await signIn({}, planted, changes)
    const { profile } = await work
    expect({ ...nothing, ...profile }).toMatchObject({ ...nothing, name: "Ada", email })
  })

  it.each(kinds)("does not replace what the ID token says, in one %s", async (_, changes) => {
    const { work } = await signIn(own, planted, changes)
    expect((await work).profile).toMatchObject({ ...own, name: "Ada", email })
  })

  it("is not in a signed response either", async () => {
    const fake = await createFakeProvider()
    fake.answerIdToken(await fake.sign({ ...fake.claims(), email: undefined }))
    const headers = { "content-type": "application/jwt" }
    const signed = await fake.sign({ ...fake.claims(), ...planted })
    fake.answer("userinfo", () => new Response(signed, { headers }))
    const { profile } = await complete(oidcProvider(fake, { client: { userinfo_signed_response_alg: "RS256" } }))
    expect({ ...nothing, ...profile }).toMatchObject({ ...nothing, email })
  })

  it("stays in the profile of a provider without ID tokens, for the app", async () => {
    const fake = await createFakeProvider()
    fake.answerIdToken("stray.id.token")
    fake.answer("userinfo", () => Response.json({ id: 7, ...planted }))
    expect((await complete(oauthProvider(fake))).profile).toMatchObject(planted)
  })
})
