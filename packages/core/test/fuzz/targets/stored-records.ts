import type { Adapter } from "@latchkey/core/adapters"
import { type MemoryAdapter, memoryAdapter, type TestHost } from "@latchkey/testkit"
import { type FuzzTarget, fromText, promise, toText } from "../engine/target.js"
import { assertAnswer, openFuzzHost, password, sessionCookie } from "../service/fuzz-host.js"
import { type Change, linesOf, readChanges, withChange } from "../service/odd-values.js"

/** The store with some results changed: `getUser.email=1`, `getSessionAndUser=null`, `createUser.throws=true`. */
function withOddAnswers(adapter: MemoryAdapter, changes: readonly Change[]): Adapter {
  const methods: Record<string, unknown> = { ...adapter }
  for (const { path, value } of changes) {
    const [name = "", ...rest] = path
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined
    if (typeof method !== "function") continue
    methods[name] = async (...args: readonly unknown[]) => {
      if (rest[0] === "throws") throw new Error(`odd failure of ${name}`)
      return withChange(await Reflect.apply(method, undefined, args), rest, value)
    }
  }
  return methods as Adapter // as: an adapter that violates its types is the point of this target
}

const token = "t".repeat(64)

const seeds = [
  'getSessionAndUser.session.expires="2030-01-01"\ngetSessionAndUser.user=null',
  "getSessionAndUser.session.expires=@invalid-date\nupdateSession.throws=true",
  "getSessionAndUser.session.expires=@past",
  "getSessionAndUser.session.expires=0",
  "getSessionAndUser.session.expires=@undefined",
  "getSessionAndUser.session.userId=1\ngetSessionAndUser.user.id=@bigint",
  "getSessionAndUser=@undefined\ndeleteSession.throws=true",
  'getUserByAccount.id=""\ngetUserByEmail.emailVerified="yes"',
  "createUser=@undefined\nlinkAccount.throws=true",
  "createSession.sessionToken=@long\nconsumeOnce=@nan",
  "useVerificationToken.expires=@past\nuseVerificationToken.identifier=1",
  "createVerificationToken.throws=true\ngetUser=@cycle",
  "listAuthenticatorsByUserId=[1]\ngetAuthenticator.counter=@nan",
  "isEmailVerified=@getter\nlistAccountsByUserId=null",
]

const methods = Object.keys(memoryAdapter()).filter((name) => name !== "calls")

const members = [
  "id",
  "userId",
  "email",
  "emailVerified",
  "name",
  "expires",
  "sessionToken",
  "identifier",
  "token",
  "counter",
  "provider",
]
const paths = [
  ...methods,
  ...methods.map((name) => `${name}.throws`),
  ...methods.flatMap((name) => members.map((member) => `${name}.${member}`)),
  ...[
    "session",
    "user",
    "session.expires",
    "session.userId",
    "user.id",
    "user.email",
    "user.name",
    "user.__proto__",
  ].map((member) => `getSessionAndUser.${member}`),
]

const values = ["null", "true", "0", "-1", "[]", "{}", '""', '"u-w"', '"2030-01-01T00:00:00Z"', '"1970-01-01"']

/** Sign-ins with a store that returns broken records. */
export const storedRecords: FuzzTarget = {
  name: "stored-records",
  seeds: () => seeds.map(fromText),
  dictionary: linesOf(paths, values),
  maxLength: 1_000,
  work: { perByte: 500, perInput: 2_000_000 },
  async check(input) {
    const changes = readChanges(toText(input))
    const stored = memoryAdapter()
    const adapter = withOddAnswers(stored, changes)
    const host = openFuzzHost({ adapter, session: { strategy: "database", updateAge: 0 } })
    await stored.createUser({ id: "u-v", name: "V", email: "v@corp.test", emailVerified: null })
    await stored.createSession({ sessionToken: token, userId: "u-v", expires: new Date(Date.now() + 60_000) })
    await readSession(host, changes)
    await signInEverywhere(host, changes.length > 0)
  },
}

async function readSession(host: TestHost, changes: readonly Change[]): Promise<void> {
  const browser = host.newBrowser()
  browser.cookies.set(sessionCookie, token)
  const answer = await browser.fetch("/auth/session")
  await assertAnswer(answer.clone(), { host, mayFail: true })
  const session: unknown = answer.status === 200 ? await answer.json() : null
  promise(session === null || typeof session === "object", "a session is an object or null")
  promise(session !== null || changes.length > 0, "an unchanged stored session is accepted")
  promise(
    session === null || (await isAlive(host.adapter)),
    "an expired session, or one without an expiry, is rejected",
  )
  const out = await browser.fetch("/auth/signout", {
    method: "POST",
    body: new URLSearchParams({ csrfToken: await browser.csrfToken() }),
  })
  await assertAnswer(out, { host, mayFail: true })
}

/** Whether the stored expiry is in the future. */
async function isAlive(adapter: Adapter | undefined): Promise<boolean> {
  const found: unknown = await adapter?.getSessionAndUser?.(token)
  const expires: unknown = Reflect.get(Object(Reflect.get(Object(found), "session")), "expires")
  return (
    new Date(expires instanceof Date || typeof expires === "number" ? expires : String(expires)).getTime() > Date.now()
  )
}

/** Signs in with a provider, an emailed link and a password, and requests passkey options. */
async function signInEverywhere(host: TestHost, isChanged: boolean): Promise<void> {
  const browser = host.newBrowser()
  const csrfToken = await browser.csrfToken()
  const post = async (path: string, fields: Record<string, string>) => {
    const answer = await browser.fetch(path, { method: "POST", body: new URLSearchParams({ csrfToken, ...fields }) })
    await assertAnswer(answer.clone(), { host, mayFail: true })
    return answer.headers.get("location") ?? ""
  }
  const open = async (url: string) => assertAnswer(await browser.fetch(url), { host, mayFail: true })
  const target = URL.parse(await post("/auth/signin/oidc", {}))
  if (target?.origin === host.idp.origin) {
    const back = (await host.idp.handler(new Request(target))).headers.get("location")
    if (back) await open(back)
  }
  await post("/auth/signin/email", { email: "new@corp.test" })
  if (host.mailbox.messages.length > 0) await open(host.mailbox.lastLink())
  await post("/auth/callback/cred", { u: "v", p: password })
  for (const action of ["register", "authenticate"]) {
    await open(`/auth/webauthn-options/passkey?action=${action}&email=v@corp.test`)
  }
  await open("/auth/session")
  const told = host.events.of("signIn").map(({ account }) => account?.provider)
  promise(isChanged || told.join() === "oidc,email,cred", "an unchanged store signs in")
}
