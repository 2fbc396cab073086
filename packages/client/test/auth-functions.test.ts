import { testHost } from "@latchkey/testkit"
import { afterEach, describe, expect, it, vi } from "vitest"
import * as exported from "../src/index.js"
import { createAuthClient, createAuthFunctions } from "../src/index.js"
import { openPage, password, validLogin } from "./page.js"

afterEach(() => vi.unstubAllGlobals())

describe("createAuthFunctions", () => {
  it("sends requests to the last configured service, also from functions imported before", async () => {
    const page = openPage(testHost({ basePath: "/api/auth", providers: [password()] }))
    const { configureAuth, signIn, submitCode, getSession, getProviders, getCsrfToken, updateSession, signOut } =
      createAuthFunctions()
    await expect(getSession()).rejects.toThrow("Unexpected response with status 200")
    configureAuth({ basePath: "/api/auth" })
    await signIn("credentials", validLogin)
    expect((await getSession())?.user?.name).toBe("Ada Lovelace")
    expect((await updateSession())?.user?.name).toBe("Ada Lovelace")
    expect(Object.keys(await getProviders())).toEqual(["credentials"])
    expect(await getCsrfToken()).toMatch(/^[0-9a-f]{64}$/)
    await signOut({ redirect: false })
    expect(await getSession()).toBeNull()
    await submitCode("email", "123456", { redirect: false })
    const [first, ...rest] = page.requests
    expect(first).toBe("GET /auth/session")
    expect(rest).toContain("POST /api/auth/callback/email")
    expect(rest.filter((request) => !request.includes(" /api/auth/"))).toEqual([])
  })

  it("keeps the client if the options are unchanged, and keeps options that are left out", () => {
    const functions = createAuthFunctions({ csrf: false })
    const first = functions.currentClient()
    expect(functions.configureAuth({})).toBe(first)
    const second = functions.configureAuth({ basePath: "/api/auth" })
    expect(second).not.toBe(first)
    expect(functions.configureAuth({ basePath: "/api/auth", csrf: false })).toBe(second)
    expect(
      functions.configureAuth({ basePath: undefined, baseUrl: undefined, fetch: undefined, csrf: undefined }),
    ).toBe(second)
    expect(functions.currentClient()).toBe(second)
  })
})

describe("createAuthClient", () => {
  it.each([
    ["api/auth", "/api/auth/session"],
    ["/api/auth//", "/api/auth/session"],
    ["https://app.test/api/auth/", "/api/auth/session"],
    ["", "/session"],
    ["/", "/session"],
  ])("requests the session at the base path %j from any page", async (basePath, expected) => {
    const page = openPage(testHost({ providers: [password()] }))
    page.answerWith(() => Response.json(null))
    location.href = "https://app.test/a/b/c"
    await createAuthClient({ basePath }).getSession()
    expect(page.requests).toEqual([`GET ${expected}`])
  })
})

describe("@latchkey/client", () => {
  it("exports the documented functions", () => {
    const functions = [
      "configureAuth",
      "currentClient",
      "getCsrfToken",
      "getProviders",
      "getSession",
      "signIn",
      "signInWithAutofill",
      "signOut",
      "submitCode",
      "updateSession",
    ]
    const factories = ["createAuthClient", "createAuthFunctions", "createCodeForm", "createSessionStore"]
    const basePaths = ["astro", "nuxt", "react", "solidStart", "sveltekit"].map((name) => `${name}BasePath`)
    expect(Object.keys(exported).sort()).toEqual([...functions, ...factories, ...basePaths, "AuthClientError"].sort())
  })
})
