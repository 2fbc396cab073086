import type { OAuthUserConfig } from "@latchkey/core/types"
import { type MemoryAdapter, memoryAdapter, type TestHostOptions, testEmail } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { instanceAdapter, Model, ObjectId, Person, type StoredUser } from "../setup/class-users.js"
import { openHost } from "../setup/hosts.js"
import { type Strategy, strategies } from "../setup/oauth-stage.js"
import { openPasskeys } from "../setup/passkey-setup.js"
import { sessionCookie } from "../setup/sign-ins.js"

type Ids = readonly [name: string, toId: (id: string) => unknown]
const idTypes: readonly Ids[] = [
  ["text", (id) => id],
  ["an ObjectId", (id) => new ObjectId(id)],
]

/** Callbacks that note the role of each user they get. */
function noteRoles() {
  const roles: unknown[] = []
  const note = (user: object | undefined) => user && roles.push(Reflect.get(user, "role"))
  const callbacks: TestHostOptions["callbacks"] = {
    signIn({ user }) {
      note(user)
      return true
    },
    jwt({ token, user }) {
      note(user)
      return token
    },
  }
  return { roles, callbacks }
}

const matrix = strategies.flatMap((strategy) => idTypes.map((ids) => [strategy, ...ids] as const))

describe.each(matrix)(
  "an adapter that returns instances of a class, with %s sessions and %s as id",
  (strategy, _, toId) => {
    const open = (options: TestHostOptions = {}) => {
      const stored = memoryAdapter()
      const adapter = instanceAdapter(stored, toId)
      const providers: TestHostOptions["providers"] = ({ idp }) => [idp.provider(), testEmail()]
      return { stored, host: openHost({ adapter, providers, session: { strategy }, ...options }) }
    }

    it("shows the user's name, email and image", async () => {
      const { host } = open()
      await host.browser.signIn("oidc")
      expect((await host.browser.session())?.user).toMatchObject({ name: "Ada Lovelace", email: "ada@example.com" })
      expect(host.logger.errorTypes()).toEqual([])
    })

    it("signs a user in again, and passes the instance to callbacks and events", async () => {
      const { roles, callbacks } = noteRoles()
      const { host } = open({ callbacks })
      await host.browser.signIn("oidc")
      roles.length = 0
      await host.newBrowser().signIn("oidc")
      expect(new Set(roles)).toEqual(new Set(["member"]))
      expect(roles).toHaveLength(strategy === "jwt" ? 2 : 1)
      const user = host.events.of("signIn")[1]?.user as unknown as StoredUser // as: the adapter returns such instances
      expect([user.name, user.role, user.isMember()]).toEqual(["Ada Lovelace", "member", true])
    })

    it("replaces the session when the same user signs in again in the same browser", async () => {
      const { host, stored } = open()
      await host.browser.signIn("oidc")
      const token = host.browser.cookies.get(sessionCookie) ?? ""
      await host.browser.signIn("oidc")
      expect(host.browser.cookies.get(sessionCookie)).not.toBe(token)
      expect(await stored.getSessionAndUser(token)).toBeNull()
      const created = stored.calls.findLast(({ method }) => method === "createSession")?.args[0]
      if (strategy === "database") {
        expect(created).toHaveProperty("device", "phone")
        // The key of the former row would be a duplicate.
        expect(created).not.toHaveProperty("_id")
      }
      expect((await host.browser.session())?.user?.name).toBe("Ada Lovelace")
    })

    it("asks the signIn callback once about a user who is signed in already", async () => {
      const { roles, callbacks } = noteRoles()
      const { host } = open({ callbacks: { ...callbacks, jwt: ({ token }) => token } })
      await host.browser.signIn("oidc")
      roles.length = 0
      await host.browser.signIn("oidc")
      expect(roles).toEqual(["member"])
    })

    it("lets a signed-in user verify their address with a link", async () => {
      const { host, stored } = open()
      host.idp.signInAs({ sub: "7", name: "Grace", email: "grace@example.com", email_verified: false })
      await host.browser.signIn("oidc")
      await host.browser.signIn("email", { email: "grace@example.com" })
      await host.browser.open(host.mailbox.lastLink())
      expect(host.logger.errorTypes()).toEqual([])
      expect((await stored.getUserByEmail("grace@example.com"))?.emailVerified).toBeInstanceOf(Date)
      expect((await host.browser.session())?.user?.name).toBe("Grace")
    })

    it("lets a user register a second passkey and sign in with it", async () => {
      const stored = memoryAdapter()
      const { visitor } = openPasskeys({ strategy, adapter: instanceAdapter(stored, toId) })
      const v = visitor()
      expect((await v.register("v@corp.test")).location).toBe("https://app.test/in")
      const other = visitor({ browser: v.browser })
      expect((await other.register()).location).toBe("https://app.test/in")
      expect((await v.signIn()).location).toBe("https://app.test/in")
      expect((await v.browser.session())?.user?.email).toBe("v@corp.test")
      expect(
        await stored.listAuthenticatorsByUserId((await stored.getUserByEmail("v@corp.test"))?.id ?? ""),
      ).toHaveLength(2)
    })
  },
)

describe("a stored session that is an instance of a class", () => {
  const open = (options: TestHostOptions = {}) =>
    openHost({
      adapter: instanceAdapter(memoryAdapter(), (id) => id),
      session: { strategy: "database", updateAge: 0 },
      ...options,
    })

  it("keeps its token, and is extended", async () => {
    const adapter: MemoryAdapter = memoryAdapter()
    const host = open({ adapter: instanceAdapter(adapter, (id) => id) })
    await host.browser.signIn("oidc")
    const token = host.browser.cookies.get(sessionCookie)
    await host.browser.session()
    expect(host.browser.cookies.get(sessionCookie)).toBe(token)
    expect(adapter.calls.findLast(({ method }) => method === "updateSession")?.args).toMatchObject([
      { sessionToken: token },
    ])
  })

  it("passes the callback the user with its class, and the session's columns only", async () => {
    const seen: unknown[] = []
    const host = open({
      callbacks: {
        session({ session, user }) {
          seen.push(Reflect.get(user, "role"), Object.keys(session).sort())
          return session
        },
      },
    })
    await host.browser.signIn("oidc")
    const session = await host.browser.session()
    expect(seen).toEqual(["member", ["_id", "device", "expires", "sessionToken", "user", "userId"]])
    expect(session?.user).toMatchObject({ name: "Ada Lovelace", role: "member" })
    expect(JSON.stringify(session)).not.toMatch(/inner/)
  })
})

const bigId = 12345678901234567890n
const fields = { name: "V", email: "V@Corp.test", role: "admin", image: "https://corp.test/v.png" }
const people: readonly (readonly [string, () => object, string])[] = [
  ["a model with an ObjectId", () => new Model({ ...fields, id: new ObjectId("64f1c0ffee") }), "64f1c0ffee"],
  ["an instance with private fields and a bigint as id", () => new Person(bigId), String(bigId)],
  ["a plain object with an ObjectId", () => ({ ...fields, id: new ObjectId("64f1c0ffee") }), "64f1c0ffee"],
]

describe.each(strategies)(
  "a user that a provider's profile callback returns, with %s sessions",
  (strategy: Strategy) => {
    const open = (make: () => object, options: TestHostOptions = {}) => {
      const profile = make as unknown as NonNullable<OAuthUserConfig["profile"]> // as: possible in plain JavaScript
      return openHost({
        ...(strategy === "database" && { adapter: memoryAdapter() }),
        session: { strategy },
        providers: ({ idp }) => [{ ...idp.provider(), profile }],
        ...options,
      })
    }

    it.each(people)("keeps its name, email and role, and its account has its id as text: %s", async (_, make, id) => {
      const { roles, callbacks } = noteRoles()
      const host = open(make, { callbacks })
      await host.browser.signIn("oidc")
      expect(host.logger.errors).toEqual([])
      expect((await host.browser.session())?.user).toMatchObject({ name: "V", email: "v@corp.test" })
      expect(roles[0]).toBe("admin")
      expect(host.events.of("signIn")).toMatchObject([{ account: { providerAccountId: id }, user: { name: "V" } }])
      expect(host.events.of("signIn")[0]?.user.id).not.toBe(id)
    })
  },
)

describe("an instance that a provider's profile callback returns", () => {
  async function signUpWith(person: object) {
    const adapter = memoryAdapter()
    const profile = (() => person) as unknown as NonNullable<OAuthUserConfig["profile"]> // as: possible in plain JavaScript
    const host = openHost({ adapter, providers: ({ idp }) => [{ ...idp.provider(), profile }] })
    await host.browser.signIn("oidc")
    expect(host.logger.errors).toEqual([])
    return adapter.calls.find(({ method }) => method === "createUser")?.args[0]
  }

  it("is stored with its own fields, and with name, email and image from getters", async () => {
    class Profile {
      readonly department = "R&D"
      get id() {
        return 7n
      }
      get name() {
        return "V"
      }
      get email() {
        return "V@Corp.test"
      }
      get image() {
        return "https://corp.test/v.png"
      }
      get initials() {
        throw new Error("it is not a field")
      }
    }
    expect(await signUpWith(new Profile())).toStrictEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      department: "R&D",
      name: "V",
      email: "v@corp.test",
      image: "https://corp.test/v.png",
      emailVerified: null,
    })
  })

  it("is stored with what its toJSON method returns", async () => {
    class Profile extends Model {
      toJSON() {
        return { id: 7, name: "V", role: this.role }
      }
    }
    const created = await signUpWith(new Profile({ ...fields, id: 7 }))
    expect(created).toMatchObject({ name: "V", email: "v@corp.test", role: "admin", emailVerified: null })
    expect(created).not.toHaveProperty("dataValues")
  })
})
