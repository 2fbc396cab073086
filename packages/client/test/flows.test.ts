import { authenticatorApp, fixedClock } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import {
  createPasswordResetFlow,
  createSecondFactorFlow,
  createSignInFlow,
  createSignUpFlow,
} from "../src/flows/index.js"
import { address, newPassword, openFlows, password } from "./flow-setup.js"

// The flows against the real service.

afterEach(() => vi.unstubAllGlobals())

describe("a sign-in", () => {
  it("asks who, then for the password and a second factor, with a reload before each", async () => {
    using clock = fixedClock()
    const { begin, enroll, page, storage, findUser, host } = openFlows()
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const open = () => begin((options) => createSignInFlow({ ...options, redirectTo: "/inbox" }))
    await open().at("identifier").submit(address)
    expect(await open().arrive("password")).toMatchObject({ identifier: address, error: null, isPending: false })
    const asked = await open().arrive("password")
    await asked.submit(password)
    const step = await open().arrive("second-factor")
    expect(step).toMatchObject({ kind: "totp", kinds: ["totp", "recovery"], rememberDays: null })
    expect(await findUser()).toBeUndefined()
    const last = open()
    await (await last.arrive("second-factor")).submit(await app.code())
    expect(last.at("done")).toMatchObject({ url: "https://app.test/inbox", session: { user: { email: address } } })
    expect(page.assign.mock.calls).toEqual([["https://app.test/inbox"]])
    expect([await findUser(), [...storage]]).toEqual([address, []])
    expect(host.leaks()).toEqual([])
  })

  it("is told in the language of the service that a password is wrong, and stays at its step", async () => {
    const { begin, signUp } = openFlows()
    await signUp()
    const flow = begin(createSignInFlow)
    await flow.at("identifier").submit(address)
    await flow.at("password").submit("wrong")
    expect(flow.at("password").error).toMatchObject({
      code: "wrong-credentials",
      message: "That sign-in did not work. Check what you typed and try again.",
    })
    await flow.at("password").submit(password)
    expect(flow.at("done").error).toBeNull()
  })

  it("mails a code instead, and takes it after a reload", async () => {
    const { begin, host, findUser } = openFlows()
    const flow = begin(createSignInFlow)
    await flow.at("identifier").submit(address)
    await flow.at("password").sendCode?.()
    expect(flow.at("code")).toMatchObject({ address, hasCode: true })
    const again = begin((options) => createSignInFlow({ ...options, redirect: false }))
    await (await again.arrive("code")).submit("000000")
    expect(again.at("code").error).toMatchObject({ code: "wrong-code" })
    expect(again.at("code").error?.message).toContain("That code is not right.")
    await again.at("code").submit(host.mailbox.lastCode())
    expect([again.at("done").step, await findUser()]).toEqual(["done", address])
  })

  it("goes on to the code at once where there are no passwords, and back with what was typed", async () => {
    const { begin } = openFlows({ hasNoPasswords: true })
    const flow = begin(createSignInFlow)
    await flow.at("identifier").submit(address)
    await flow.at("code").back()
    expect(flow.at("identifier").identifier).toBe(address)
    await flow.at("identifier").submit("not an address")
    expect(flow.at("identifier").error).toMatchObject({
      code: "invalid-email",
      message: "That is not an address we can write to. Check it and try again.",
    })
  })

  it("lists the providers, and says why one of them has led back", async () => {
    const { begin, page } = openFlows()
    vi.stubGlobal("location", Object.assign(new URL("https://app.test/login?error=OAuthCallbackError"), page))
    const flow = begin(createSignInFlow)
    await vi.waitFor(() =>
      expect(flow.at("identifier").providers).toEqual([{ id: "oidc", name: "Test identity provider" }]),
    )
    expect(flow.at("identifier").error).toMatchObject({ code: "unavailable", message: "Sign-in was canceled" })
    await flow.at("identifier").openProvider("oidc")
    expect(page.assign.mock.calls[0]?.[0]).toContain("https://idp.test/")
  })

  it("ends on a page that shows the error of an earlier attempt", async () => {
    const { begin, signUp, page, findUser } = openFlows()
    await signUp()
    const here = new URL("https://app.test/login?error=OAuthCallbackError&theme=dark")
    vi.stubGlobal("location", Object.assign(here, page))
    const flow = begin(createSignInFlow)
    await vi.waitFor(() => expect(flow.at("identifier").error).not.toBeNull())
    await flow.at("identifier").submit(address)
    await flow.at("password").submit(password)
    expect([flow.at("done").url, await findUser()]).toEqual(["https://app.test/login?theme=dark", address])
  })

  it("goes on to a page of the app with an error of its own", async () => {
    const { begin, signUp, page } = openFlows()
    await signUp()
    const target = "https://app.test/result?error=denied"
    const here = new URL(`https://app.test/login?callbackUrl=${encodeURIComponent(target)}`)
    vi.stubGlobal("location", Object.assign(here, page))
    const flow = begin(createSignInFlow)
    await flow.at("identifier").submit(address)
    await flow.at("password").submit(password)
    expect(flow.at("done").url).toBe(target)
  })

  it("takes a recovery code after a choice, and begins again after five wrong ones", async () => {
    using clock = fixedClock()
    const { begin, enroll, findUser } = openFlows()
    const { app, codes } = await enroll()
    clock.advance({ minutes: 1 })
    const flow = begin(createSignInFlow)
    const prove = async () => {
      await flow.at("identifier").submit(address)
      await flow.at("password").submit(password)
      await flow.at("second-factor").choose("recovery")
    }
    await prove()
    expect(flow.at("second-factor")).toMatchObject({ kind: "recovery", rememberDays: null })
    await flow.at("second-factor").choose("totp")
    for (let guess = 0; guess < 5; guess++) await flow.at("second-factor").submit(await app.wrongCode())
    expect(flow.at("second-factor").error).toMatchObject({ code: "wrong-code", message: "That code did not work" })
    await flow.at("second-factor").choose("recovery")
    await flow.at("second-factor").submit(codes[0] ?? "")
    expect(flow.at("identifier").error).toMatchObject({ code: "expired" })
    expect(await findUser()).toBeUndefined()
    await prove()
    await flow.at("second-factor").submit(codes[0] ?? "")
    expect([flow.at("done").step, await findUser()]).toEqual(["done", address])
  })
})

describe("a sign-up", () => {
  it("takes the code of the email after a reload, and sends it again", async () => {
    using clock = fixedClock()
    const { begin, codeTo, storage, findUser } = openFlows()
    const flow = begin(createSignUpFlow)
    await flow.at("identifier").submit({ email: address, password: "short" })
    expect(flow.at("identifier").error).toMatchObject({
      code: "password-refused",
      reason: "too-short",
      field: "password",
    })
    expect(flow.at("identifier").error?.message).toBe("The password needs at least 15 characters.")
    await flow.at("identifier").submit({ email: address, password, name: "Ada" })
    expect(flow.at("code")).toMatchObject({ address, hasCode: true })
    expect([...storage.values()].join()).not.toContain("ada")
    const first = codeTo(address)
    const again = begin(createSignUpFlow)
    clock.advance({ minutes: 1 })
    await (await again.arrive("code")).resend()
    expect(codeTo(address)).not.toBe(first)
    await again.at("code").submit(codeTo(address))
    expect([again.at("done").step, await findUser()]).toEqual(["done", address])
  })

  it("sets up the authenticator app that a user must have, shows the same key after a reload, and the recovery codes", async () => {
    const { begin, codeTo, findUser, page, host } = openFlows({ secondFactor: { require: "always" } })
    const flow = begin(createSignUpFlow)
    await flow.at("identifier").submit({ email: address, password })
    await flow.at("code").submit(codeTo(address))
    const { secret, uri, qr } = flow.at("enroll")
    expect([uri.startsWith("otpauth://totp/"), qr?.startsWith("data:image/svg+xml,")]).toEqual([true, true])
    const again = begin(createSignUpFlow)
    expect((await again.arrive("enroll")).secret).toBe(secret)
    const app = authenticatorApp(secret)
    await again.at("enroll").submit(await app.wrongCode())
    expect(again.at("enroll").error).toMatchObject({ code: "wrong-code" })
    await again.at("enroll").submit(await app.code())
    const { codes } = again.at("recovery-codes")
    expect(codes).toHaveLength(10)
    await (await begin(createSignUpFlow).arrive("page")).openPage()
    expect(page.assign.mock.calls).toEqual([["https://app.test/auth/second-factor/codes"]])
    const shown = async () => (await host.browser.open("/auth/second-factor/codes")).text().includes(codes[0] ?? "-")
    expect(await shown()).toBe(true)
    await again.at("recovery-codes").finish()
    expect([again.at("done").step, await findUser(), await shown()]).toEqual(["done", address, false])
  })
})

describe("a forgotten password", () => {
  it("is replaced with the mailed code, and asks for the second factor", async () => {
    using clock = fixedClock()
    const { begin, enroll, codeTo, findUser } = openFlows()
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const flow = begin(createPasswordResetFlow)
    await flow.at("identifier").submit(address)
    const again = begin(createPasswordResetFlow)
    await (await again.arrive("code")).submit({ code: codeTo(address), password: "short" })
    expect(again.at("code").error).toMatchObject({ code: "password-refused", reason: "too-short" })
    await again.at("code").submit({ code: codeTo(address), password: newPassword })
    await again.at("second-factor").submit(await app.code())
    expect([again.at("done").step, await findUser()]).toEqual(["done", address])
  })
})

describe("a second factor alone", () => {
  it("completes a sign-in that began elsewhere, and says if none waits", async () => {
    using clock = fixedClock()
    const { begin, enroll, host, findUser } = openFlows({ secondFactor: { remember: { days: 30 } } })
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    expect(begin(createSecondFactorFlow).at("loading").step).toBe("loading")
    expect((await begin(createSecondFactorFlow).arrive("expired")).error).toMatchObject({
      code: "expired",
      message: "This sign-in cannot be completed",
    })
    await host.browser.signIn("password", { email: address, password })
    const flow = begin(createSecondFactorFlow)
    const step = await flow.arrive("second-factor")
    expect([step.rememberDays, step.back]).toEqual([30, undefined])
    await step.submit(await app.code(), { remember: true })
    expect([flow.at("done").step, await findUser()]).toEqual(["done", address])
  })
})
