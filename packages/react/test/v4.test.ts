import { getCsrfToken as getCsrfTokenOfPage, signIn as signInOfPage } from "@latchkey/react"
import { afterEach, describe, expect, expectTypeOf, it, vi } from "vitest"
import { adaFields, openBrowserPage, validLogin } from "../../../test/setup/browser-page.js"
import * as face from "../src/v4/index.js"
import { getCsrfToken, getProviders, getSession, type SignInResponse, signIn } from "../src/v4/index.js"

const addresses: string[] = []

/** A service that answers every request with these. */
function stubService(body: unknown, headers: [string, string][] = []): () => RequestInit {
  let sent: RequestInit = {}
  vi.stubGlobal("fetch", async (address: string, init: RequestInit) => {
    addresses.push(address)
    sent = init
    return Response.json(body, { headers })
  })
  return () => sent
}

function page() {
  const sent: string[] = []
  const write = (name: string, value: string) => void sent.push(`${name}: ${value}`)
  return { sent, res: { headersSent: false, appendHeader: write, setHeader: write } }
}

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  addresses.length = 0
})

describe("@latchkey/react/v4", () => {
  it("exports what next-auth/react of version 4 exports", () => {
    const functions = ["getCsrfToken", "getProviders", "getSession", "signIn", "signOut", "useSession"]
    expect(Object.keys(face).sort()).toEqual(
      [...functions, "SessionContext", "SessionProvider", "configureAuth"].sort(),
    )
    expect(signIn).not.toBe(signInOfPage)
    expect(getCsrfToken).not.toBe(getCsrfTokenOfPage)
  })
})

describe("signIn of version 4", () => {
  it("has the error null after a sign-in, and is not ok after a wrong password", async () => {
    openBrowserPage("/auth")
    face.configureAuth({ basePath: "/auth" })
    const accepted = await signIn<"credentials">("credentials", { ...validLogin, csrfToken: "stale" })
    expect(accepted).toMatchObject({ error: null, ok: true, status: 200 })
    const refused = await signIn("credentials", { ...adaFields, password: "wrong", redirect: false })
    expect(refused).toMatchObject({ error: "CredentialsSignin", ok: false, status: 401, url: null })
    expectTypeOf<SignInResponse["error"]>().toEqualTypeOf<string | null>()
  })
})

describe("the functions of version 4 on a server", () => {
  const req = { headers: { cookie: "authjs.session-token=a" } }

  it("MIG-20: send the cookies of the request to the address of the environment alone", async () => {
    vi.stubEnv("NEXTAUTH_URL", "https://app.test/sub/api/auth")
    const sent = stubService({ csrfToken: "a token" })
    expect(await getCsrfToken({ req: { headers: { ...req.headers, host: "evil.test" } } as typeof req })).toBe(
      "a token",
    )
    expect(addresses).toEqual(["https://app.test/sub/api/auth/csrf"])
    expect(new Headers(sent().headers).get("cookie")).toBe(req.headers.cookie)
    vi.stubEnv("NEXTAUTH_URL_INTERNAL", "http://127.0.0.1:3000")
    await getCsrfToken({ ctx: { req } })
    expect(addresses.at(-1)).toBe("http://127.0.0.1:3000/api/auth/csrf")
  })

  it("add the cookies of the service to the page, which no shared cache stores then", async () => {
    stubService({ csrfToken: "a token" }, [["set-cookie", "authjs.csrf-token=b; Path=/"]])
    const { sent, res } = page()
    await getCsrfToken({ req, res })
    expect(sent).toEqual(["set-cookie: authjs.csrf-token=b; Path=/", "cache-control: private, no-store"])
  })

  it("read the session and the providers, without cookies for the latter", async () => {
    stubService({ user: { name: "Ada" } })
    expect(await getSession({ req })).toEqual({ user: { name: "Ada" } })
    const sent = stubService({ github: { id: "github" } })
    expect(await getProviders()).toEqual({ github: { id: "github" } })
    expect(new Headers(sent().headers).has("cookie")).toBe(false)
  })
})
