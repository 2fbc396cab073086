import { describe, expect, it } from "vitest"
import { configureAuth, getSession, signIn, signOut, updateSession } from "../src/client/index.js"
import { SolidAuth } from "../src/index.js"
import { testConfig } from "./config.js"
import { origin } from "./events.js"

/** Points the client's `fetch` straight at the route handlers. */
function browserOf({ GET, POST } = SolidAuth(testConfig())) {
  const paths: string[] = []
  const jar = new Map<string, string>()
  configureAuth({
    baseUrl: origin,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      request.headers.set("cookie", [...jar].map((pair) => pair.join("=")).join("; "))
      request.headers.set("origin", origin)
      const response = await (request.method === "POST" ? POST : GET)({ request })
      paths.push(new URL(request.url).pathname)
      if (!response) throw new TypeError("No handler answers")
      for (const line of response.headers.getSetCookie()) {
        const [name = "", value = ""] = line.split(";", 1).join().split("=")
        jar.set(name, value)
      }
      return response
    },
  })
  return { paths }
}

const right = { username: "ada", password: "right", redirectTo: "/", redirect: false as const }

describe("the client", () => {
  it("returns the error code of a rejected sign-in", async () => {
    browserOf()
    const answer = await signIn("credentials", { ...right, password: "wrong" })
    expect(answer).toMatchObject({ error: "CredentialsSignin", code: "credentials", url: null })
    expect(await getSession()).toBeNull()
  })

  it("signs in, reads, updates and signs out at /api/auth", async () => {
    const { paths } = browserOf()
    expect(await signIn("credentials", right)).toMatchObject({ ok: true, url: `${origin}/` })
    expect((await getSession())?.user?.name).toBe("Ada Lovelace")
    expect((await updateSession({ name: "X" }))?.user?.name).toBe("Ada Lovelace")
    await signOut({ redirectTo: "/", redirect: false })
    expect(await getSession()).toBeNull()
    expect(paths.every((path) => path.startsWith("/api/auth/"))).toBe(true)
  })
})
