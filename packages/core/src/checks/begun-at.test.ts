import { describe, expect, it } from "vitest"
import { failureOf } from "../../test/setup/failure-of.js"
import { flowSetup, oidc } from "../../test/setup/flow-setup.js"
import { keptCookies } from "../../test/setup/kept-cookies.js"
import type { OwnPlaces } from "./begun-at.js"

const nothing: OwnPlaces = { basePath: "/auth", allowedOrigins: undefined, localHosts: null }

interface Journey {
  readonly from: string
  readonly to: string
  readonly proxy?: string
}

/** The facts of a flow that begins at one callback address and returns to another, without cookies. */
async function factsOf({ from, to, proxy }: Journey, places: Partial<OwnPlaces>) {
  const setup = flowSetup(keptCookies(), undefined, { ...nothing, ...places })
  const provider = { ...oidc, ...(proxy !== undefined && { redirectProxyUrl: proxy }) }
  const bound = { provider, clientBinding: "the client", jar: keptCookies().jar() }
  const begun = { ...bound, redirectUri: from, callbackUrl: from, returnTo: undefined, initiatorId: null }
  const { state = "" } = await setup.flows.begin(begun)
  const { error } = await failureOf(setup.flows.resume({ ...bound, redirectUri: to, state }))
  expect(error.cause).toMatchObject({ reason: "flow-other-host" })
  return Object(error.cause?.["facts"])
}

const www = "https://www.app.test/auth/callback/oidc"
const bare = "https://app.test/auth/callback/oidc"
const local = "http://localhost:3000/auth/callback/oidc"

describe("the address where a flow began", () => {
  it.each<[title: string, journey: Journey, places: Partial<OwnPlaces>, from: string]>([
    ["AUTH_URL", { from: bare, to: www }, { authUrl: "https://app.test/auth" }, "https://app.test"],
    [
      "one of allowedOrigins",
      { from: bare, to: "https://shop.test/auth/callback/oidc" },
      { allowedOrigins: ["https://shop.test", "https://app.test"] },
      "https://app.test",
    ],
    [
      "the same name with www below a wildcard",
      { from: "https://www.shop.app.test/auth/callback/oidc", to: "https://shop.app.test/auth/callback/oidc" },
      { allowedOrigins: ["https://*.app.test", "https://*.shop.app.test"] },
      "https://www.shop.app.test",
    ],
    [
      "the redirect proxy",
      { from: "https://proxy.test/api/callback/oidc", to: bare, proxy: "https://proxy.test/api/" },
      {},
      "https://proxy.test",
    ],
    ["the same host over http", { from: bare.replace("https", "http"), to: bare }, {}, "http://app.test"],
    [
      "another name of this machine",
      { from: local, to: local.replace("localhost", "127.0.0.1") },
      { localHosts: "network" },
      "http://localhost:3000",
    ],
  ])("is named if it is %s", async (_, journey, places, from) => {
    expect(await factsOf(journey, places)).toMatchObject({ from, host: new URL(journey.to).host })
  })

  it.each<[title: string, journey: Journey, places: Partial<OwnPlaces>]>([
    ["nothing is configured", { from: bare, to: www }, {}],
    ["another address is configured", { from: "https://visitor.test/auth/callback/oidc", to: www }, { authUrl: bare }],
    ["allowedOrigins lists others", { from: bare, to: www }, { allowedOrigins: ["https://www.app.test"] }],
    ["the app is not on this machine", { from: local, to: local.replace("localhost", "127.0.0.1") }, {}],
  ])("DOC-06: is not named if only a visitor named it: %s", async (_, journey, places) => {
    expect(await factsOf(journey, places)).not.toHaveProperty("from")
  })
})
