import { type TestHostOptions, testHost } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type AuthClient, createAuthClient } from "../src/index.js"
import { openPage, password, type TestPage, validLogin } from "./page.js"

let page: TestPage
let client: AuthClient

function open(options: TestHostOptions = {}): void {
  page = openPage(testHost({ providers: [password()], ...options }))
  client = createAuthClient()
}

beforeEach(() => open())
afterEach(() => vi.unstubAllGlobals())

describe("a page that shows an error of an earlier attempt", () => {
  const show = (address: string): void => {
    vi.stubGlobal("location", Object.assign(new URL(address), { assign: page.assign, reload: () => undefined }))
  }

  it.each([
    [
      "https://app.test/login?error=CredentialsSignin&code=credentials&theme=dark#form",
      "https://app.test/login?theme=dark#form",
    ],
    ["https://app.test/login?theme=dark&error=SessionRequired", "https://app.test/login?theme=dark"],
    ["https://app.test/login?error=AccessDenied", "https://app.test/login"],
  ])("does not end there again after a sign-in: %s", async (address, url) => {
    show(address)
    expect(await client.signIn("credentials", validLogin)).toMatchObject({ error: undefined, code: undefined, url })
    expect(await client.signIn("credentials", { ...validLogin, redirectTo: address })).toMatchObject({ url })
    const { username, password: typed } = validLogin
    await client.signIn("credentials", { username, password: typed })
    expect(page.assign).toHaveBeenCalledExactlyOnceWith(url)
    expect(await client.signOut({ redirect: false })).toMatchObject({ error: undefined, url })
  })

  it("is shown the error of the next attempt", async () => {
    open({ pages: { signIn: "/login" } })
    show("https://app.test/login?error=CredentialsSignin&code=credentials")
    for (const target of [{}, { redirectTo: location.href }]) {
      const response = await client.signIn("credentials", { ...validLogin, ...target, password: "wrong" })
      expect(response).toMatchObject({ error: "CredentialsSignin", code: "credentials", url: null })
    }
  })

  it("keeps an error of the app, which is none of a sign-in", async () => {
    const url = "https://app.test/result?error=denied&code=7"
    show(url)
    for (const target of [{}, { redirectTo: "/result?error=denied&code=7" }]) {
      const response = await client.signIn("credentials", { ...validLogin, ...target })
      expect(response).toEqual({ error: undefined, code: undefined, status: 200, ok: true, url, next: null })
    }
    expect(await client.signOut({ redirect: false })).toMatchObject({ error: undefined, url })
  })
})
