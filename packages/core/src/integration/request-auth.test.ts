import { describe, expect, it } from "vitest"
import { type HostConfig, settingsOf } from "./config.js"
import { createRequestState } from "./request-auth.js"

const config: HostConfig = {
  providers: [
    {
      id: "password",
      name: "Password",
      type: "credentials",
      credentials: {},
      authorize: () => ({ id: "1", name: "Ada" }),
    },
  ],
  secret: "a secret of at least thirty-two characters",
  trustHost: true,
  logger: { error: () => {}, warn: () => {}, debug: () => {} },
}
const sessionCookie = "authjs.session-token"

function createState(cookie = "") {
  const headers = new Headers({ host: "app.test", cookie })
  const settings = settingsOf(config, { env: {} })
  return createRequestState(async () => ({ caller: { headers, protocol: "http" }, settings }))
}

async function signIn(): Promise<string> {
  const { auth, takeCookies } = createState()
  await auth.signIn({ providerId: "password" })
  return takeCookies([])
    .map((line) => line.split(";", 1)[0])
    .join("; ")
}

describe("createRequestState", () => {
  it("reads the session once and hands out its renewed cookie once", async () => {
    const { auth, takeCookies } = createState(await signIn())
    expect(auth.session).toBeNull()
    expect(auth.getSession()).toBe(auth.getSession())
    expect(await auth.getSession()).toMatchObject({ user: { name: "Ada" } })
    expect(auth.session).toMatchObject({ user: { name: "Ada" } })
    expect(takeCookies([])).toEqual([expect.stringContaining(`${sessionCookie}=`)])
    expect(takeCookies([])).toEqual([])
  })

  it("leaves out the cookies of a family that the response sets itself", async () => {
    const { auth, takeCookies } = createState(await signIn())
    await auth.getSession()
    expect(takeCookies([`${sessionCookie}.0=; Max-Age=0`])).toEqual([])
  })

  it("keeps the result of an action over a read that is still running", async () => {
    const { auth, takeCookies } = createState(await signIn())
    const reading = auth.getSession()
    await auth.signOut()
    await reading
    expect([auth.session, await auth.getSession()]).toEqual([null, null])
    const lines = takeCookies([]).filter((line) => line.startsWith(sessionCookie))
    expect(lines).toEqual([expect.stringContaining("Max-Age=0")])
  })
})
