// A database in memory for Accounts.js: the interface that its documentation asks for, as its adapter for MongoDB fills it.
import { randomUUID } from "node:crypto"
import type { DatabaseInterface, DatabaseInterfaceSessions, Session, TokenRecord, User } from "@accounts/types"

/** @param users All users, so that a test can look at what is stored. */
export function createStore(users: Map<string, User>): DatabaseInterface {
  const find = (test: (user: User) => boolean) =>
    Promise.resolve(structuredClone([...users.values()].find(test) ?? null))
  const change = async (id: string, apply: (user: User) => void) => {
    const user = users.get(id)
    if (user) apply(user)
  }
  const service = (user: User, name: string) => {
    user.services ??= {}
    user.services[name] ??= {}
    return user.services[name]
  }
  const findToken = (name: string, list: string, token: string) =>
    find(({ services }) => services?.[name]?.[list]?.some((each: TokenRecord) => each.token === token) ?? false)
  const addToken = (id: string, [name, list]: readonly [string, string], record: Omit<TokenRecord, "when">) =>
    change(id, (user) => {
      service(user, name)[list] = [...(service(user, name)[list] ?? []), { ...record, when: Date.now() }]
    })
  return {
    async createUser({ email, username, password }) {
      const id = randomUUID()
      const emails = email ? [{ address: email.toLowerCase(), verified: false }] : []
      const services = { password: { bcrypt: password } }
      users.set(id, { id, emails, services, deactivated: false, ...(username && { username }) })
      return id
    },
    findUserById: (id) => find((user) => user.id === id),
    findUserByEmail: (email) =>
      find(({ emails }) => emails?.some((each) => each.address === email.toLowerCase()) ?? false),
    findUserByUsername: (name) => find(({ username }) => username === name),
    findUserByServiceId: () => Promise.resolve(null),
    findUserByResetPasswordToken: (token) => findToken("password", "reset", token),
    findUserByEmailVerificationToken: (token) => findToken("email", "verificationTokens", token),
    findUserByLoginToken: (token) => findToken("magicLink", "loginTokens", token),
    findPasswordHash: async (id) => users.get(id)?.services?.["password"]?.bcrypt ?? null,
    setPassword: (id, hash) => change(id, (user) => Object.assign(service(user, "password"), { bcrypt: hash })),
    setUsername: (id, username) => change(id, (user) => Object.assign(user, { username })),
    addResetPasswordToken: (id, address, token, reason) =>
      addToken(id, ["password", "reset"], { address, token, reason }),
    removeAllResetPasswordTokens: (id) => change(id, (user) => Object.assign(service(user, "password"), { reset: [] })),
    addEmail: (id, address, verified) => change(id, (user) => void user.emails?.push({ address, verified })),
    removeEmail: (id, address) =>
      change(id, (user) => Object.assign(user, { emails: user.emails?.filter((each) => each.address !== address) })),
    verifyEmail: (id, address) =>
      change(id, (user) => {
        const emails = user.emails?.map((each) => (each.address === address ? { address, verified: true } : each))
        Object.assign(user, { emails })
        Object.assign(service(user, "email"), { verificationTokens: [] })
      }),
    addEmailVerificationToken: (id, address, token) =>
      addToken(id, ["email", "verificationTokens"], { address, token, reason: "verify" }),
    addLoginToken: (id, address, token) =>
      addToken(id, ["magicLink", "loginTokens"], { address, token, reason: "login" }),
    removeAllLoginTokens: (id) => change(id, (user) => Object.assign(service(user, "magicLink"), { loginTokens: [] })),
    setService: (id, name, data) => change(id, (user) => Object.assign(service(user, name), data)),
    unsetService: (id, name) => change(id, (user) => void delete user.services?.[name]),
    setUserDeactivated: (id, deactivated) => change(id, (user) => Object.assign(user, { deactivated })),
    ...createSessions(),
  }
}

function createSessions(): DatabaseInterfaceSessions {
  const sessions = new Map<string, Session>()
  return {
    findSessionById: async (id) => sessions.get(id) ?? null,
    findSessionByToken: async (token) => [...sessions.values()].find((each) => each.token === token) ?? null,
    async createSession(userId, token) {
      const [id, now] = [randomUUID(), new Date().toISOString()]
      sessions.set(id, { id, userId, token, valid: true, createdAt: now, updatedAt: now })
      return id
    },
    async updateSession(id, _, token) {
      const session = sessions.get(id)
      if (session) Object.assign(session, token && { token })
    },
    invalidateSession: async (id) => void Object.assign(sessions.get(id) ?? {}, { valid: false }),
    async invalidateAllSessions(userId, except = []) {
      for (const session of sessions.values())
        if (session.userId === userId && !except.includes(session.id)) session.valid = false
    },
  }
}
