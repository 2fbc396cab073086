import { passkeyFactor, recoveryCodes, totp } from "@latchkey/core/second-factors"
import { fixedClock, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import { createSecondFactorFlow, createSignInFlow } from "../src/flows/index.js"
import { address, type FlowHost, openFlows, password } from "./flow-setup.js"
import { softwareCredentials } from "./software-credentials.js"

// Passkeys in the flows, with a software authenticator.

afterEach(() => vi.unstubAllGlobals())

type Hosting = FlowHost & { readonly device: ReturnType<typeof softwareAuthenticator> }

async function open(isFactor = false): Promise<Hosting> {
  const factors = isFactor ? [passkeyFactor(), totp(), recoveryCodes()] : [totp(), recoveryCodes()]
  const hosting = openFlows({ secondFactor: { factors } })
  const device = softwareAuthenticator({ origin: "https://app.test" })
  const { browser } = await hosting.enroll()
  await passkeyClient({ browser, device }).register()
  vi.stubGlobal("PublicKeyCredential", () => undefined)
  vi.stubGlobal("navigator", { credentials: softwareCredentials(device) })
  return { ...hosting, device }
}

describe("a passkey", () => {
  it("signs in from the first step and from that of the password, without either", async () => {
    using clock = fixedClock()
    const hosting = await open()
    clock.advance({ minutes: 1 })
    const first = hosting.begin(createSignInFlow)
    await vi.waitFor(() => expect(first.at("identifier").askForPasskey).toBeDefined())
    await first.at("identifier").askForPasskey?.()
    expect(first.at("done").session.user?.email).toBe(address)
    await hosting.host.browser.signOut()
    const second = hosting.begin(createSignInFlow)
    await second.at("identifier").submit("nobody@example.com")
    await second.at("password").askForPasskey?.()
    expect([second.at("done").step, await hosting.findUser()]).toEqual(["done", address])
  })

  it("is asked for as the second factor, and another kind can be chosen", async () => {
    using clock = fixedClock()
    const hosting = await open(true)
    clock.advance({ minutes: 1 })
    const flow = hosting.begin(createSignInFlow)
    await flow.at("identifier").submit(address)
    await flow.at("password").submit(password)
    expect(flow.at("passkey").kinds).toEqual(["passkey", "totp", "recovery"])
    await flow.at("passkey").choose("totp")
    expect(flow.at("second-factor").kind).toBe("totp")
    await flow.at("second-factor").choose("passkey")
    expect(await hosting.findUser()).toBeUndefined()
    await flow.at("passkey").askForPasskey()
    expect([flow.at("done").step, await hosting.findUser()]).toEqual(["done", address])
  })

  it("can be chosen in place of a code by a user who has one, where it is no second factor of its own", async () => {
    using clock = fixedClock()
    const hosting = await open()
    clock.advance({ minutes: 1 })
    const flow = hosting.begin(createSignInFlow)
    await flow.at("identifier").submit(address)
    await flow.at("password").submit(password)
    expect(flow.at("second-factor")).toMatchObject({ kind: "totp", kinds: ["totp", "passkey", "recovery"] })
    await flow.at("second-factor").choose("passkey")
    await flow.at("passkey").askForPasskey()
    expect([flow.at("done").step, await hosting.findUser()]).toEqual(["done", address])
  })

  it("that the user cancels stays at its step, with the sentence of the service", async () => {
    const hosting = await open(true)
    await hosting.host.browser.signIn("password", { email: address, password })
    const refuse = () => Promise.reject(new DOMException("no", "NotAllowedError"))
    vi.stubGlobal("navigator", { credentials: { get: refuse } })
    vi.stubGlobal("document", {})
    const flow = hosting.begin((options) =>
      createSecondFactorFlow({ ...options, messages: { unavailable: "Not now." } }),
    )
    await (await flow.arrive("passkey")).askForPasskey()
    expect(flow.at("passkey").error).toMatchObject({
      code: "passkey-failed",
      reason: "cancelled",
      message:
        "That was canceled, took too long, or did not work on this device. Try again, or choose another way to sign in.",
    })
    vi.stubGlobal("PublicKeyCredential", undefined)
    vi.stubGlobal("fetch", () => Promise.resolve(new Response("busy", { status: 502 })))
    await flow.at("passkey").askForPasskey()
    expect(flow.at("passkey").error).toMatchObject({ code: "passkey-failed", reason: "unsupported" })
    expect(flow.at("passkey").error?.message).toContain("This browser does not support passkeys.")
    await flow.at("passkey").choose("totp")
    await flow.at("second-factor").submit("123456")
    expect(flow.at("second-factor").error).toMatchObject({ code: "unavailable", message: "Not now." })
  })
})
