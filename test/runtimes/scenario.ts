import assert from "node:assert/strict"
import { encode } from "@auth/core/jwt"
import { type Browser, createBrowser, overHttp, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import { user } from "./app/settings.ts"
import type { MadeSession } from "./moved.ts"
import { algorithms, type StandIns } from "./stand-ins.ts"

/** The running app, and what stands around it. */
export interface Stage {
  readonly origin: string
  readonly secret: string
  readonly standIns: StandIns
  /** What visitors have from other libraries. */
  readonly made: readonly MadeSession[]
}

export interface Step {
  /** The cell of the table. */
  readonly name: string
  run(stage: Stage): Promise<void>
  /** How long it may take. Default: 15 seconds. */
  readonly patienceMs?: number
}

/** How long a step may take. A step that waits for another visitor never ends. */
const usualPatienceMs = 15_000

function visit({ origin, standIns }: Stage, basePath = "/auth"): Browser {
  return createBrowser({ handler: overHttp, origin, basePath, network: { [standIns.origin]: overHttp } })
}

const emailOf = async (browser: Browser) => (await browser.session())?.user?.email
const nameOf = async (browser: Browser) => (await browser.session())?.user?.name

async function signInWithPassword(stage: Stage): Promise<void> {
  const browser = visit(stage)
  const page = await browser.signIn("credentials", { ...user, password: "wrong" })
  assert.match(page.url.search, /error=CredentialsSignin/)
  assert.equal(await browser.session(), null)
  await browser.signIn("credentials", { username: user.username, password: user.password })
  assert.equal(await nameOf(browser), user.name)
  await browser.signOut()
  assert.equal(await browser.session(), null)
}

/** By id token: a right signature signs in, a changed one does not. */
function signInWithOpenId(alg: string): Step["run"] {
  return async (stage) => {
    const fake = stage.standIns.provider(alg)
    const browser = visit(stage)
    await browser.signIn(alg)
    assert.equal(await emailOf(browser), "ada@example.com")
    fake.faults.turnOn("id-token-signature-changed")
    try {
      const other = visit(stage)
      const page = await other.signIn(alg)
      assert.equal(await other.session(), null, "a changed signature was accepted")
      assert.match(page.url.href, /error=/)
    } finally {
      fake.faults.turnOff("id-token-signature-changed")
    }
  }
}

async function signInWithOAuth(stage: Stage): Promise<void> {
  const browser = visit(stage)
  await browser.signIn("oauth")
  assert.equal(await emailOf(browser), "ada@example.com")
}

async function signInWithMail(stage: Stage): Promise<void> {
  const browser = visit(stage, "/stored")
  const page = await browser.signIn("email", { email: "grace@example.com" })
  assert.match(page.url.pathname, /verify-request/)
  const link = stage.standIns.linkFor("grace@example.com")
  await browser.open(link)
  assert.equal(await emailOf(browser), "grace@example.com")
  const other = visit(stage, "/stored")
  await other.open(link)
  assert.equal(await other.session(), null, "a link worked twice")
}

async function signInWithPasskey(stage: Stage): Promise<void> {
  // A browser accepts a passkey for `localhost`, and none for an IP address.
  const origin = stage.origin.replace("127.0.0.1", "localhost")
  const open = () => createBrowser({ handler: overHttp, origin, basePath: "/stored" })
  const device = softwareAuthenticator({ origin })
  const browser = open()
  const client = (own: Browser) => passkeyClient({ browser: own, device, basePath: "/stored" })
  await client(browser).register("hedy@example.com")
  assert.equal(await emailOf(browser), "hedy@example.com")
  await browser.signOut()
  const other = open()
  await client(other).signIn()
  assert.equal(await emailOf(other), "hedy@example.com")
}

async function keepStatelessSession(stage: Stage): Promise<void> {
  const browser = visit(stage)
  await browser.signIn("credentials", { username: user.username, password: user.password })
  const [first, second] = [await browser.session(), await browser.session()]
  assert.equal(first?.user?.name, user.name)
  assert.ok(Date.parse(second?.expires ?? "") > Date.now() + 86_400_000)
  const token = browser.cookies.find("authjs.session-token")
  assert.ok(token?.isHttpOnly)
  browser.cookies.set("authjs.session-token", `${token.value.slice(0, -2)}AA`)
  assert.equal(await browser.session(), null, "a changed token was accepted")
}

async function keepStoredSession(stage: Stage): Promise<void> {
  const browser = visit(stage, "/stored")
  await browser.signIn("ES256")
  assert.equal(await emailOf(browser), "ada@example.com")
  const token = browser.cookies.get("authjs.session-token") ?? assert.fail("there is no session cookie")
  await browser.signOut()
  browser.cookies.set("authjs.session-token", token)
  assert.equal(await browser.session(), null, "a session outlived the sign-out")
}

async function acceptOlderToken(stage: Stage): Promise<void> {
  const browser = visit(stage)
  const salt = "authjs.session-token"
  const claims = { name: "Ada", email: "ada@older.example", sub: "1815" }
  browser.cookies.set(salt, await encode({ token: claims, secret: stage.secret, salt, maxAge: 3600 }))
  assert.equal(await emailOf(browser), "ada@older.example")
  browser.cookies.set(salt, await encode({ token: claims, secret: "another secret of thirty-two chars", salt }))
  assert.equal(await browser.session(), null, "a token of another secret was accepted")
}

async function takeSessionsOver(stage: Stage): Promise<void> {
  const arrive = ({ cookies }: MadeSession, change = (value: string) => value) => {
    const browser = visit(stage, "/moved")
    for (const [name, value] of Object.entries(cookies)) browser.cookies.set(name, change(value))
    return browser
  }
  for (const one of stage.made) {
    // In the middle, since the last characters of a value may be padding.
    const changed = arrive(one, (value) => value.replace(/^(.{60})./, "$1!"))
    if (Object.values(one.cookies).some((value) => value.length > 60))
      assert.equal(await changed.session(), null, `a changed session of ${one.library} was accepted`)
    const browser = arrive(one)
    const session = await browser.session()
    assert.ok(session, `the session of ${one.library} was not taken over`)
    assert.equal(session.user?.email ?? null, one.email, one.library)
    assert.deepEqual(
      browser.cookies.names().filter((name) => Object.hasOwn(one.cookies, name)),
      [],
      one.library,
    )
    assert.ok(await browser.session(), `the session of ${one.library} did not go on`)
    await browser.signOut()
    assert.equal(await arrive(one).session(), null, `the session of ${one.library} outlived the sign-out`)
  }
}

async function showPages(stage: Stage): Promise<void> {
  const browser = visit(stage, "/stored")
  const page = await browser.open("/stored/signin")
  assert.equal(page.status, 200)
  assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/)
  const sheet = page.find('link[rel="stylesheet"]')?.attribute("href") ?? assert.fail("there is no stylesheet")
  assert.match((await browser.open(sheet)).text(), /color/)
  const script = page.find("script[src]")?.attribute("src") ?? assert.fail("there is no passkey script")
  assert.match((await browser.open(script)).text(), /credentials/)
  for (const [path, status] of [
    ["/stored/signout", 200],
    ["/stored/verify-request", 200],
    ["/stored/error?error=AccessDenied", 403],
    ["/stored/nothing-here", 404],
  ] as const)
    assert.equal((await browser.open(path)).status, status, path)
}

function limitVisitors(basePath: string): Step["run"] {
  return async (stage) => {
    const statuses: number[] = []
    for (let attempt = 0; attempt < 5; attempt++) {
      const response = await fetch(`${stage.origin}${basePath}/callback/oidc?code=c`, { redirect: "manual" })
      await response.text()
      statuses.push(response.status)
    }
    assert.deepEqual(
      statuses.map((status) => status === 429),
      [false, false, false, true, true],
      statuses.join(" "),
    )
  }
}

/** A visitor closes the tab while the service waits for a document of the provider. Others must not wait with it. */
async function leaveDuringDiscovery(stage: Stage): Promise<void> {
  const browser = visit(stage)
  const stalled = stage.standIns.stallNext("/slow/.well-known/openid-configuration")
  const csrfToken = await browser.csrfToken()
  const leaving = new AbortController()
  const cookie = browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
  const left = fetch(`${stage.origin}/auth/signin/slow`, {
    method: "POST",
    headers: { cookie: cookie.join("; "), origin: stage.origin },
    body: new URLSearchParams({ csrfToken }),
    redirect: "manual",
    signal: leaving.signal,
  }).catch(() => undefined)
  await stalled
  leaving.abort()
  await left
  await signInOnce(stage, "slow")
}

/** The same while the service waits for the keys of the provider. */
async function leaveDuringKeys(stage: Stage): Promise<void> {
  const browser = visit(stage)
  const page = await stopBeforeCallback(browser, stage)
  const stalled = stage.standIns.stallNext("/slow-keys/jwks")
  const leaving = new AbortController()
  const cookie = browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
  const left = fetch(page, {
    headers: { cookie: cookie.join("; ") },
    redirect: "manual",
    signal: leaving.signal,
  }).catch(() => undefined)
  await stalled
  leaving.abort()
  await left
  await signInOnce(stage, "slow-keys")
}

/** Signs in at the provider, and returns the callback URL without opening it. */
async function stopBeforeCallback(browser: Browser, { origin, standIns }: Stage): Promise<string> {
  const csrfToken = await browser.csrfToken()
  const begun = await browser.fetch("/auth/signin/slow-keys", {
    method: "POST",
    body: new URLSearchParams({ csrfToken, callbackUrl: `${origin}/` }),
    headers: { "x-auth-return-redirect": "1" },
  })
  const { url } = await begun.json()
  assert.ok(String(url).startsWith(standIns.origin), String(url))
  const answer = await fetch(url, { redirect: "manual" })
  return answer.headers.get("location") ?? assert.fail("the provider did not redirect")
}

async function signInOnce(stage: Stage, id: string): Promise<void> {
  const browser = visit(stage)
  await browser.signIn(id)
  assert.equal(await emailOf(browser), "ada@example.com")
}

export async function runPatiently({ run, patienceMs = usualPatienceMs }: Step, stage: Stage): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs / 1000} seconds`)), patienceMs)
  })
  await Promise.race([run(stage), late]).finally(() => clearTimeout(timer))
}

export const steps: readonly Step[] = [
  { name: "credentials", run: signInWithPassword },
  ...algorithms.map((alg) => ({ name: `OpenID ${alg}`, run: signInWithOpenId(alg) })),
  { name: "OAuth", run: signInWithOAuth },
  { name: "email", run: signInWithMail },
  { name: "passkey", run: signInWithPasskey },
  { name: "stateless session", run: keepStatelessSession },
  { name: "stored session", run: keepStoredSession },
  { name: "token of Auth.js", run: acceptOlderToken },
  { name: "sessions of other libraries", run: takeSessionsOver },
  { name: "pages", run: showPages },
  { name: "limiter", run: limitVisitors("/limited") },
  { name: "limiter in Hono", run: limitVisitors("/hono") },
  { name: "visitor leaves during discovery", run: leaveDuringDiscovery },
  { name: "visitor leaves during key fetch", run: leaveDuringKeys },
]
