import { accessTokens } from "@latchkey/core/access-tokens"
import { accountArea } from "@latchkey/core/account-area"
import { answerDoctor } from "@latchkey/core/doctor"
import { languages } from "@latchkey/core/languages"
import { de } from "@latchkey/core/languages/de"
import { nativeApps } from "@latchkey/core/native-apps"
import { providerLogout } from "@latchkey/core/provider-logout"
import Passwords from "@latchkey/core/providers/passwords"
import { recoveryCodes, secondFactors, totp } from "@latchkey/core/second-factors"
import { trackSessions } from "@latchkey/core/sessions"
import type { AuthConfig, Provider } from "@latchkey/core/types"
import { authenticatorApp, memoryAdapter } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { getService } from "../../src/auth.js"
import { resolveConfig } from "../../src/config/resolve.js"
import type { Feature } from "../../src/features/feature.js"
import { featureFrame, findConflict } from "../../src/features/slots.js"
import { openHost } from "../setup/hosts.js"
import { post } from "../setup/requests.js"

const { arrange: arrangeFeatures, fillSlots, joinRoutes } = featureFrame
const frame = featureFrame

const secret = "a secret of at least thirty-two characters"
const address = "ada@example.com"
const asJson = { headers: { accept: "application/json" } }

/** Every option with a feature. */
const featureOptions = {
  accessTokens: accessTokens(),
  accountArea: accountArea(),
  doctor: answerDoctor(),
  languages: languages([de]),
  nativeApps: nativeApps({ clients: [{ id: "ios", name: "App", redirectUris: ["com.example.app:/callback"] }] }),
  providerLogout: providerLogout(),
  secondFactors: secondFactors({ factors: [totp(), recoveryCodes()] }),
  session: { strategy: "jwt", track: trackSessions() },
} as const

/** Several orders of a list: as it is, backwards, and every rotation. */
function ordersOf<Item>(list: readonly Item[]): readonly (readonly Item[])[] {
  const rotations = list.map((_, n) => [...list.slice(n), ...list.slice(0, n)])
  return [...rotations, ...rotations.map((order) => order.toReversed())]
}

const optionOrders = ordersOf(Object.entries(featureOptions)).map((order) => Object.fromEntries(order))

const resolved = resolveConfig(
  {
    providers: [Passwords({ mail: { send: () => {} } })],
    secret,
    trustHost: true,
    adapter: memoryAdapter(),
    ...featureOptions,
  } satisfies AuthConfig,
  { isProduction: true },
)

describe("the features of a configuration", () => {
  it("are all of them in this test", () => {
    expect(resolved.features.map(({ feature }) => feature)).toEqual([
      "accessTokens",
      "accountArea",
      "doctor",
      "languages",
      "nativeApps",
      "passwords",
      "providerLogout",
      "secondFactors",
      "session.track",
    ])
  })

  it("have one order, the same slots and the same routes in whatever order they are given", () => {
    const slots = fillSlots(resolved.features)
    const paths = Object.keys(joinRoutes(resolved.features)).sort()
    for (const order of ordersOf(resolved.features)) {
      expect(arrangeFeatures(order)).toEqual(resolved.features)
      for (const [name, member] of Object.entries(fillSlots(order))) expect(member).toBe(Reflect.get(slots, name))
      expect(Object.keys(joinRoutes(order)).sort()).toEqual(paths)
      expect(findConflict(order)).toBeNull()
    }
  })

  it("leave the gate to second factors, also if the account area comes first", () => {
    const gateOf = (name: string) => resolved.features.find(({ feature }) => feature === name)?.gate
    for (const order of ordersOf(resolved.features)) expect(fillSlots(order).gate).toBe(gateOf("secondFactors"))
  })

  it("bring features along once, unless the configuration has them", () => {
    const brought: Feature = { feature: "b", frame }
    const bringing = (feature: string): Feature => ({ feature, frame, brings: [{ feature: "b", frame }] })
    expect(arrangeFeatures([bringing("c"), bringing("a")]).map(({ feature }) => feature)).toEqual(["a", "b", "c"])
    expect(arrangeFeatures([bringing("a"), brought])[1]).toBe(brought)
  })

  const gates = resolved.features.flatMap(({ gate }) => (gate ? { gate } : []))

  it.each<[string, Partial<Feature>, string]>([
    ["name", { feature: "a" }, "a and a both have the name a"],
    ["slot", gates[0] ?? {}, "a and b both fill the slot gate"],
    ["path", { routes: { stamp: {} } }, "a and b both answer the path stamp"],
    ["page", { pages: { stamp: {} } }, "a and b both show the page stamp"],
  ])("are refused at start if two have the same %s", (_, member, sentence) => {
    const features: readonly Feature[] = [
      { feature: "a", frame, ...member },
      { feature: "b", frame, ...member },
    ]
    expect(findConflict(features)).toBe(`${sentence}. Leave one of them out`)
  })
})

describe("a configuration", () => {
  it.each(optionOrders)(
    "holds a sign-in until the second factor is given, and answers the same: order %#",
    async (options) => {
      const adapter = memoryAdapter()
      await adapter.createUser({ id: "u-ada", email: address, name: "Ada", emailVerified: new Date() })
      const credentials: Provider = {
        id: "cred",
        name: "Password",
        type: "credentials",
        credentials: { name: {} },
        authorize: ({ name }) => adapter.getUserByEmail(String(name)),
      }
      const providers = [credentials, Passwords({ mail: { send: () => {} } })]
      const order = optionOrders.indexOf(options)
      const host = openHost({ adapter, providers: order % 2 === 0 ? providers : providers.toReversed(), ...options })
      expect(getService(host.config as AuthConfig).mistake).toBeNull()
      const owner = host.newBrowser()
      await owner.signIn("cred", { name: address })
      const setup = await post(owner, "/auth/account/factors", { action: "begin-totp" }, asJson)
      const { ticket, secret: key } = setup.json() as { ticket: string; secret: string }
      const code = await authenticatorApp(key).code()
      const confirmed = await post(owner, "/auth/account/factors", { action: "confirm-totp", ticket, code }, asJson)
      expect(confirmed.status).toBe(200)
      expect((await owner.open("/auth/account/sessions")).find("h1")?.text).toBe("Devices and sessions")

      const browser = host.newBrowser()
      await browser.signIn("cred", { name: address })
      expect(await browser.session()).toBeNull()
      expect((await browser.open("/auth/second-factor")).find("h1")?.text).toBe("Enter your code")
    },
  )
})
