import { Auth, type AuthConfig } from "@latchkey/core"
import { providerLogout } from "@latchkey/core/provider-logout"
import { trackSessions } from "@latchkey/core/sessions"
import { type SqliteAdapter, sqlite } from "@latchkey/kysely-adapter/sqlite"
import { afterEach, describe, expect, it } from "vitest"
import { type CertifiedProvider, startCertifiedProvider } from "./certified-provider.js"
import { createVisitor, type Visitor } from "./visitor.js"

const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

interface Stage {
  readonly provider: CertifiedProvider
  readonly adapter: SqliteAdapter
  newVisitor(): Visitor
  /** Logout tokens that the provider sent, with the status of the answers. */
  readonly received: { readonly token: string; readonly status: number }[]
  readonly errors: readonly Error[]
}

async function open(strategy: "jwt" | "database"): Promise<Stage> {
  const received: { token: string; status: number }[] = []
  const errors: Error[] = []
  let config: AuthConfig | undefined
  const provider = await startCertifiedProvider({
    app: async (request) => {
      const token = new URLSearchParams(await request.clone().text()).get("logout_token") ?? ""
      const answer = config ? await Auth(request, config) : new Response(null, { status: 503 })
      received.push({ token, status: answer.status })
      return answer
    },
  })
  opened.push(provider)
  const adapter = sqlite(":memory:")
  opened.push(adapter)
  const built: AuthConfig = {
    basePath: "/auth",
    secret: "a secret of at least thirty-two characters",
    trustHost: true,
    logger: { error: (error) => errors.push(error), warn: () => {} },
    adapter,
    // Each check asks the store.
    session: { strategy, track: trackSessions({ checkEvery: 0 }) },
    providerLogout: providerLogout({ atProvider: true, backchannel: true }),
    providers: [
      {
        id: "certified",
        name: "Certified provider",
        type: "oidc",
        issuer: provider.issuer,
        clientId: provider.clientId,
        clientSecret: provider.clientSecret,
        checks: ["pkce", "state", "nonce"],
      },
    ],
  }
  config = built
  const newVisitor = () => createVisitor("https://app.test", (request) => Auth(request, built))
  return { provider, adapter, received, errors, newVisitor }
}

const sessionOf = (visitor: Visitor) => visitor.ask("/auth/session")

describe.each(["jwt", "database"] as const)(
  "logout with the certified oidc-provider and %s sessions in SQLite",
  (strategy) => {
    it("signs out here and at the provider, which sends a logout token and the user back", async () => {
      const { provider, newVisitor, received, errors } = await open(strategy)
      const visitor = newVisitor()
      await visitor.signIn("certified", "/in")
      expect(await sessionOf(visitor)).toMatchObject({ user: { name: "Lin" } })
      expect((await visitor.signOut("/bye")).href).toBe("https://app.test/bye")
      const paths = visitor.visited.filter(({ url }) => url.origin === provider.issuer).map(({ url }) => url.pathname)
      expect(paths.slice(-2)).toEqual(["/session/end", "/session/end/confirm"])
      expect([await sessionOf(visitor), received.map(({ status }) => status), errors]).toEqual([null, [200], []])
      // The provider asks again: its session is over as well.
      const before = visitor.visited.length
      await visitor.signIn("certified", "/in")
      expect(visitor.visited.slice(before).some(({ url }) => url.pathname.startsWith("/login/"))).toBe(true)
    })

    it("signs in again without a question after a sign-out of the app alone", async () => {
      const { newVisitor, received } = await open(strategy)
      const visitor = newVisitor()
      await visitor.signIn("certified", "/in")
      await visitor.signOut("/bye", { atProvider: "false" })
      const before = visitor.visited.length
      await visitor.signIn("certified", "/in")
      expect(visitor.visited.slice(before).some(({ url }) => url.pathname.startsWith("/login/"))).toBe(false)
      expect(received).toEqual([])
    })

    it("is signed out by the provider: this browser's session, and no other one of the user", async () => {
      const { provider, newVisitor, received, errors } = await open(strategy)
      const [visitor, other] = [newVisitor(), newVisitor()]
      for (const one of [visitor, other]) await one.signIn("certified", "/in")
      await visitor.open(`${provider.issuer}/session/end`)
      expect(received.map(({ status }) => status)).toEqual([200])
      expect([await sessionOf(visitor), errors]).toEqual([null, []])
      expect(await sessionOf(other)).toMatchObject({ user: { name: "Lin" } })
    })

    it("LOUT-02: leaves the next session alone when the provider's token is sent again", async () => {
      const { provider, newVisitor, received } = await open(strategy)
      const visitor = newVisitor()
      await visitor.signIn("certified", "/in")
      await visitor.open(`${provider.issuer}/session/end`)
      await visitor.signIn("certified", "/in")
      const [sent] = received
      const token = { logout_token: sent?.token ?? "" }
      expect(await visitor.post("/auth/backchannel-logout/certified", token)).toBe(200)
      expect(await sessionOf(visitor)).toMatchObject({ user: { name: "Lin" } })
    })
  },
)
