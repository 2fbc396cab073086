import { testHost } from "@latchkey/testkit"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { createAuthClient, createAuthFunctions } from "../src/index.js"
import { openPage, password, right, type TestPage } from "./page.js"

let page: TestPage

beforeEach(() => {
  page = openPage(testHost({ providers: [password()], basePath: "/api/auth" }))
})
afterEach(() => vi.unstubAllGlobals())

describe("createAuthFunctions", () => {
  it("asks where it was told last, whenever its functions were imported", async () => {
    const { configureAuth, signIn, getSession, getProviders, getCsrfToken, updateSession, signOut } =
      createAuthFunctions()
    await expect(getSession()).rejects.toThrow("The service answered with status 200")
    configureAuth({ basePath: "/api/auth" })
    await signIn("credentials", right)
    expect((await getSession())?.user?.name).toBe("Ada Lovelace")
    expect((await updateSession())?.user?.name).toBe("Ada Lovelace")
    expect(Object.keys(await getProviders())).toEqual(["credentials"])
    expect(await getCsrfToken()).toMatch(/^[0-9a-f]{64}$/)
    await signOut({ redirect: false })
    expect(await getSession()).toBeNull()
    const [first, ...rest] = page.asked
    expect(first).toBe("GET /auth/session")
    expect(rest.filter((request) => !request.includes(" /api/auth/"))).toEqual([])
  })

  it("keeps its client when it is told the same again, and what is left out as it was", () => {
    const functions = createAuthFunctions({ csrf: false })
    const first = functions.currentClient()
    expect(functions.configureAuth({})).toBe(first)
    const second = functions.configureAuth({ basePath: "/api/auth" })
    expect(second).not.toBe(first)
    expect(functions.configureAuth({ basePath: "/api/auth", csrf: false })).toBe(second)
    expect(functions.currentClient()).toBe(second)
  })
})

describe("createAuthClient", () => {
  it.each(["/api/auth", "/api/auth/", "https://app.test/api/auth"])("asks below %s", async (basePath) => {
    expect(await createAuthClient({ basePath }).getSession()).toBeNull()
    expect(page.asked).toEqual(["GET /api/auth/session"])
  })

  it("asks another origin with a fetch of its own, cookies included, where there is no page", async () => {
    vi.unstubAllGlobals()
    const send = vi.fn(async (address: string | URL | Request, _: RequestInit = {}) =>
      String(address).endsWith("/csrf") ? Response.json({ csrfToken: "t0ken" }) : Response.json({ url: "/in" }),
    )
    const client = createAuthClient({ baseUrl: "https://api.test/", basePath: "/auth", fetch: send })
    const { url } = await client.signIn("credentials", { username: "ada", redirect: false })
    expect(url).toBe("https://api.test/in")
    const [[, csrf], [address, init]] = send.mock.calls as [[string, RequestInit], [string, RequestInit]]
    expect([csrf.credentials, init.credentials, address]).toEqual([
      "include",
      "include",
      "https://api.test/auth/callback/credentials",
    ])
    expect(String(init.body)).toBe("username=ada&csrfToken=t0ken")
    expect(new Headers(init.headers).get("x-auth-return-redirect")).toBe("1")
  })

  it("writes a provider's name so that it stays one segment", async () => {
    await createAuthClient({ basePath: "/api/auth" }).signIn("a/../key?", { redirect: false })
    expect(page.asked).toContain("POST /api/auth/signin/a%2F..%2Fkey%3F")
  })
})
