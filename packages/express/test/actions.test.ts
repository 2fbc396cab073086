import { testProviderSignOut } from "@latchkey/testkit/integration"
import type { Response as ExpressResponse, NextFunction, Request } from "express"
import { describe, expect, it } from "vitest"
import { AuthError, currentSession, ExpressAuth, signIn, signOut, updateSession } from "../src/index.js"
import { createBrowser } from "./browser.js"
import { ada, right, testConfig } from "./config.js"
import { expresses } from "./expresses.js"
import { serve } from "./serve.js"

const callbacks = {
  jwt: <Token extends object>({ token, session }: { token: Token; session?: { name?: string } }) =>
    session?.name === undefined ? token : { ...token, name: session.name },
}
const fail = (error: Error, _req: Request, res: ExpressResponse, _next: NextFunction) =>
  void res.status(403).send(error instanceof AuthError ? error.type : String(error))

describe.each(expresses)("signIn, signOut and updateSession in $name", ({ express }) => {
  async function start() {
    const config = testConfig({ callbacks })
    const app = express().use("/auth", ExpressAuth(config)).use(express.json())
    const login = async (req: Request, res: ExpressResponse) =>
      res.redirect(303, await signIn({ req, res, config }, { providerId: "credentials", fields: req.body }))
    const leave = async (req: Request, res: ExpressResponse) =>
      res.redirect(303, await signOut({ req, res, config }, { redirectTo: "/bye" }))
    const rename = async (req: Request, res: ExpressResponse) =>
      res.json({ session: await updateSession({ req, res, config }, req.body) })
    // Express 4 ignores rejected promises.
    const guard =
      (run: (req: Request, res: ExpressResponse) => Promise<unknown>) =>
      (req: Request, res: ExpressResponse, next: NextFunction) =>
        void run(req, res).catch(next)
    app.post("/login", guard(login)).post("/name", guard(rename))
    app.post("/leave", currentSession(config), guard(leave)).use(fail)
    const origin = await serve(app)
    const browser = createBrowser(origin)
    const post = async (path: string, fields: object, more: Record<string, string> = {}) => {
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
      const headers = { origin, cookie, "content-type": "application/json", ...more }
      return await fetch(`${origin}${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(fields),
        redirect: "manual",
      })
    }
    return { origin, browser, post }
  }

  it("throw CredentialsSignin for a wrong password", async () => {
    const { post } = await start()
    const response = await post("/login", { username: "ada", password: "wrong" })
    expect([response.status, await response.text()]).toEqual([403, "CredentialsSignin"])
  })

  it("CSRF-10: reject a form of another site", async () => {
    const { post } = await start()
    const response = await post("/login", right, { origin: "https://evil.test" })
    expect([response.status, response.headers.getSetCookie()]).toEqual([403, []])
  })

  it("sign in", async () => {
    const { origin, post } = await start()
    const response = await post("/login", right)
    expect([response.status, response.headers.get("location")]).toEqual([303, `${origin}/`])
    const cookie = response.headers.getSetCookie().map((line) => line.split(";", 1)[0])
    const session = await (await fetch(`${origin}/auth/session`, { headers: { cookie: cookie.join("; ") } })).json()
    expect(session).toMatchObject({ user: ada })
  })

  it("sign out after the same response has renewed the session", async () => {
    const { origin, browser, post } = await start()
    await browser.signIn(right.password)
    const response = await post("/leave", {})
    expect(response.headers.get("location")).toBe(`${origin}/bye`)
    const lines = response.headers.getSetCookie().filter((line) => line.startsWith("authjs.session-token"))
    expect(lines.at(-1)).toContain("Max-Age=0")
  })

  it("update the session", async () => {
    const { browser, post } = await start()
    expect(await (await post("/name", { name: "Eve" })).json()).toEqual({ session: null })
    await browser.signIn(right.password)
    const response = await post("/name", { name: "Countess Ada" })
    expect(await response.json()).toMatchObject({ session: { user: { name: "Countess Ada" } } })
    expect(response.headers.getSetCookie().join()).toContain("authjs.session-token=")
  })
})

describe.each(expresses)("signOut with atProvider in $name", ({ express }) => {
  testProviderSignOut(async ({ config, cookie, atProvider }) => {
    const app = express()
    app.post("/logout", async (req: Request, res: ExpressResponse) =>
      res.redirect(303, await signOut({ req, res, config }, { redirectTo: "/bye", atProvider })),
    )
    const origin = await serve(app)
    const left = await fetch(`${origin}/logout`, { method: "POST", headers: { cookie }, redirect: "manual" })
    return left.headers.get("location")
  })
})
