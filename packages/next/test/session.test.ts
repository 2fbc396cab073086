import { AuthError } from "@latchkey/core/errors"
import { cookies } from "next/headers.js"
import { describe, expect, it } from "vitest"
import { NextAuth } from "../src/next-auth.js"
import { createVisitor, right, testConfig } from "./app.js"

/** An app whose tokens count how often the `jwt` callback has seen them. */
function countingApp() {
  const counted = { calls: 0 }
  const app = NextAuth(
    testConfig({
      callbacks: {
        jwt({ token }) {
          counted.calls++
          return { ...token, seen: Number(token["seen"] ?? 0) + 1 }
        },
        session: ({ session, token }) => ({ ...session, seen: token["seen"] }),
      },
    }),
  )
  return { app, counted }
}

describe("auth() without arguments", () => {
  it("throws where the service cannot say, so that nobody is let in", async () => {
    const { auth } = NextAuth(testConfig({ secret: "short" }))
    await expect(createVisitor().inRequest(() => auth())).resolves.toBeNull()
    const broken = NextAuth(testConfig({ providers: [], basePath: "/x", secret: [] }))
    await expect(createVisitor().inRequest(() => broken.auth())).rejects.toBeInstanceOf(AuthError)
  })

  it("lets what Next throws outside of a request through", async () => {
    const { auth } = NextAuth(testConfig())
    await expect(auth()).rejects.toThrow("outside a request scope")
  })

  it("HOST-02: throws where the host is not to be believed", async () => {
    const { auth } = NextAuth(testConfig({ trustHost: false }))
    await expect(createVisitor().inRequest(() => auth())).rejects.toBeInstanceOf(AuthError)
  })

  it("is null where nobody is signed in, and for a cookie that is none", async () => {
    const { auth } = NextAuth(testConfig())
    const visitor = createVisitor()
    expect(await visitor.inRequest(() => auth())).toBeNull()
    visitor.jar.set("__Secure-authjs.session-token", "nonsense")
    expect(await visitor.inRequest(() => auth())).toBeNull()
  })

  it("is read once for all components of a page, and again for the next page", async () => {
    const { app, counted } = countingApp()
    const visitor = createVisitor()
    await visitor.inRequest(() => app.signIn("credentials", { ...right, redirect: false }))
    counted.calls = 0
    const layoutAndPage = () => Promise.all([app.auth(), app.auth(), app.auth()])
    const sessions = await visitor.inRequest(layoutAndPage)
    expect(sessions.map((session) => session?.user?.name)).toEqual(["Ada Lovelace", "Ada Lovelace", "Ada Lovelace"])
    expect(counted.calls).toBe(1)
    await visitor.inRequest(() => app.auth())
    expect(counted.calls).toBe(2)
  })

  it("follows what an action has done to the session in the same request", async () => {
    const { app } = countingApp()
    const visitor = createVisitor()
    await visitor.inRequest(async () => {
      expect(await app.auth()).toBeNull()
      await app.signIn("credentials", { ...right, redirect: false })
      expect((await app.auth())?.user?.name).toBe("Ada Lovelace")
      await app.signOut({ redirect: false })
      expect(await app.auth()).toBeNull()
    })
    expect([...visitor.jar.keys()]).not.toContain("__Secure-authjs.session-token")
  })

  it("is none once the app itself has taken the cookie away", async () => {
    const { app } = countingApp()
    const visitor = createVisitor()
    await visitor.inRequest(() => app.signIn("credentials", { ...right, redirect: false }))
    await visitor.inRequest(async () => {
      expect(await app.auth()).not.toBeNull()
      const jar = await cookies()
      jar.set("__Secure-authjs.session-token", "", { maxAge: 0 })
      expect(await app.auth()).toBeNull()
    })
  })

  it("asks a function for the configuration, without a request", async () => {
    const asked: unknown[] = []
    const config = testConfig()
    const { auth } = NextAuth(async (request) => {
      asked.push(request)
      return config
    })
    expect(await createVisitor().inRequest(() => auth())).toBeNull()
    expect(asked).toEqual([undefined])
  })
})
