import { createHash } from "node:crypto"
import { disconnectAccount, getAccessToken } from "@latchkey/core/access-tokens"
import { deleteDueUsers } from "@latchkey/core/account-area"
import type { FailureReason } from "@latchkey/core/diagnosis"
import { createProbe } from "@latchkey/core/doctor"
import { importPassword, setPassword } from "@latchkey/core/passwords"
import { requireFresh, trackSessions } from "@latchkey/core/sessions"
import {
  authenticatorApp,
  type Browser,
  fixedClock,
  type Span,
  type WrongLogoutTokenName,
  wrongLogoutTokenNames,
} from "@latchkey/testkit"
import { enroll } from "./account-rows.js"
import type { Row, Rows } from "./rows.js"
import { signUp } from "./sign-in-rows.js"
import {
  address,
  nativeUri,
  origin,
  otherAddress,
  password,
  personMark,
  post,
  type Stage,
  type StageOptions,
  secretMark,
  signIn,
} from "./stage.js"

const of =
  (reason: Row["reason"], options?: StageOptions) =>
  (flow: Row["flow"]): Row => ({ reason, flow, ...(options && { options }) })

/** The next sign-in of a user with a second factor, which waits. */
async function wait(
  stage: Stage,
): Promise<{ readonly browser: Browser; readonly secret: string; readonly codes: readonly string[] }> {
  const { secret, codes } = await enroll(stage)
  return { browser: await signIn(stage, stage.newBrowser()), secret, codes }
}

const give = (browser: Browser, code: string, kind = "totp") => post(browser, `/auth/second-factor/${kind}`, { code })

const late =
  (span: Span, flow: (browser: Browser, secret: string) => Promise<unknown>): Row["flow"] =>
  async (stage) => {
    using clock = fixedClock()
    const { browser, secret } = await wait(stage)
    clock.advance(span)
    await flow(browser, secret)
  }

export const secondFactorRows: Rows = {
  "a wrong code": of("second-factor-wrong")(async (stage) => give((await wait(stage)).browser, "000000")),
  "a code that was used": of("second-factor-wrong")(async (stage) => {
    const { browser, secret } = await wait(stage)
    await give(browser, await authenticatorApp(secret).code())
  }),
  "a wrong recovery code": of("second-factor-wrong")(async (stage) =>
    give((await wait(stage)).browser, `${secretMark}-recovery`, "recovery"),
  ),
  "a recovery code that was used": of("second-factor-wrong")(async (stage) => {
    const { codes } = await wait(stage)
    for (let n = 0; n < 2; n++) await give(await signIn(stage, stage.newBrowser()), codes[0] ?? "", "recovery")
  }),
  "too many wrong codes": of("second-step-expired")(async (stage) => {
    const { browser } = await wait(stage)
    for (let n = 0; n < 12; n++) await give(browser, "000000")
  }),
  "too late": of("second-step-expired")(
    late({ minutes: 20 }, async (browser, secret) => give(browser, await authenticatorApp(secret).code())),
  ),
  "a wrong code after it was completed": of("second-factor-wrong")(
    late({ minutes: 1 }, async (browser, secret) => {
      const kept = browser.cookies.list()
      await give(browser, await authenticatorApp(secret).code())
      browser.cookies.clear()
      for (const { name, value } of kept) browser.cookies.set(name, value)
      await give(browser, "000000")
    }),
  ),
  "in another browser": of("second-step-expired")(async (stage) => {
    const { secret } = await wait(stage)
    await give(stage.newBrowser(), await authenticatorApp(secret).code())
  }),
  "a device that was forged": {
    async flow(stage) {
      const { browser } = await wait(stage)
      const fresh = stage.newBrowser()
      for (const name of browser.cookies.names())
        fresh.cookies.set(name.replace("held", "device"), `${secretMark}-device`)
      fresh.cookies.set("authjs.device", `${secretMark}-device-cookie`)
      await signIn(stage, fresh)
    },
    reason: null,
    why: "the sign-in waits for a code, as in every browser that is not remembered",
  },
  "a rule that fails": of("callback-threw", {
    factors: { require: ({ user }) => Promise.reject(new Error(`no role of ${user.email}`)) },
  })((stage) => signIn(stage)),
  "a confirmation with a wrong code": of("second-factor-wrong")(async (stage) => {
    await enroll(stage)
    await post(stage.browser, "/auth/confirm/totp", { code: "000000" })
  }),
}

interface Flow {
  readonly path: string
  readonly verifier: string
}

function beginApp(stage: Stage, changes: Readonly<Record<string, string>> = {}): Flow {
  const verifier = `${secretMark}-verifier-0123456789-0123456789-0123456789`
  stage.watch("verifier", verifier)
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "ios",
    redirect_uri: nativeUri,
    state: `${secretMark}-state-of-app`,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...changes,
  })
  return { path: `/auth/native?${query}`, verifier }
}

/** Signs in, and agrees. @returns the code that the app gets */
export async function agree(stage: Stage): Promise<string> {
  await signIn(stage)
  const page = await stage.browser.open(beginApp(stage).path)
  const form = page.forms().find(({ fields }) => fields["choice"] === "continue")
  if (!form) throw new Error(`The page does not ask: ${page.text()}`)
  const code = (await stage.browser.submit(form)).url.searchParams.get("code") ?? ""
  stage.watch("code of an app", code)
  return code
}

export async function exchange(
  stage: Stage,
  code: string,
  changes: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { verifier } = beginApp(stage)
  const fields = {
    grant_type: "authorization_code",
    client_id: "ios",
    redirect_uri: nativeUri,
    code,
    code_verifier: verifier,
  }
  const body = new URLSearchParams({ ...fields, ...changes })
  const answer = await stage.send("/auth/native/token", { method: "POST", body })
  const { access_token: token = "" } = await answer.json()
  stage.watch("token of an app", token)
  return token
}

const call = (stage: Stage, token: string, path = "/auth/session") =>
  stage.send(path, { headers: { authorization: `Bearer ${token}` } })

export const nativeRows: Rows = {
  "an unknown app": of("request-invalid")(async (stage) =>
    (await signIn(stage)).open(beginApp(stage, { client_id: `${personMark}@visitor.example` }).path),
  ),
  "another redirect URI": of("request-invalid")(async (stage) =>
    (await signIn(stage)).open(beginApp(stage, { redirect_uri: `com.evil.app:/callback?token=${secretMark}` }).path),
  ),
  "a question that was forged": of("request-invalid")(async (stage) =>
    post(await signIn(stage), "/auth/native", { choice: "continue", ticket: `${secretMark}-ticket` }),
  ),
  "another verifier": of("request-invalid")(async (stage) =>
    exchange(stage, await agree(stage), { code_verifier: `${secretMark}-other-0123456789-0123456789-0123456789` }),
  ),
  "a code that was used": of("request-invalid")(async (stage) => {
    const code = await agree(stage)
    for (let n = 0; n < 2; n++) await exchange(stage, code)
  }),
  "a code that is too old": of("request-invalid")(async (stage) => {
    using clock = fixedClock()
    const code = await agree(stage)
    clock.advance({ minutes: 20 })
    await exchange(stage, code)
  }),
  "a token that was altered": {
    async flow(stage) {
      const token = await exchange(stage, await agree(stage))
      await call(stage, `${token.slice(0, -4)}AAAA`)
    },
    reason: null,
    why: "an app asks with an old token at each start, and the answer is that of nobody",
  },
  "a token on a form of another site": of("form-other-origin")(async (stage) => {
    const token = await exchange(stage, await agree(stage))
    const body = new URLSearchParams({ name: `${personMark} New`, action: "save" })
    const headers = { authorization: `Bearer ${token}`, accept: "application/json", origin: "https://evil.test" }
    await stage.send("/auth/account/profile", { method: "POST", body, headers })
  }),
}

/** What the app asks for a user of a provider. */
export async function askToken(stage: Stage, change: (stage: Stage) => unknown = () => {}): Promise<void> {
  using clock = fixedClock()
  await stage.browser.signIn("oidc")
  clock.advance({ hours: 2 })
  await change(stage)
  await getAccessToken(requestOf(stage), stage.host.config, { provider: "oidc" }).catch((error: Error) =>
    stage.host.logger.error(error),
  )
}

/** A request of the browser, as the app's own code gets it. */
function requestOf({ browser }: Stage): Request {
  const cookie = browser.cookies.list().map(({ name, value }) => `${name}=${value}`)
  return new Request(`${origin}/`, { headers: { cookie: cookie.join("; ") } })
}

const answering =
  (error: string, status: number): Row["flow"] =>
  (stage) =>
    askToken(stage, ({ host: { idp } }) => {
      idp.faults.turnOn({
        response: (sent, { endpoint }) => {
          const said = `${idp.requests.token.at(-1)?.params} of ${address}`
          return endpoint === "token" ? Response.json({ error, error_description: said }, { status }) : sent
        },
      })
    })

export const accessTokenRows: Rows = {
  "a refresh that quotes the token": of("access-token-unavailable")(answering("invalid_grant", 400)),
  "a refresh by a wrong client": of("client-rejected")(answering("invalid_client", 401)),
  "a provider that is down": of("provider-answer")(answering("server_error", 503)),
  nobody: of("access-token-unavailable")(async (stage) => {
    await getAccessToken(requestOf(stage), stage.host.config, { provider: "oidc" }).catch((error: Error) =>
      stage.host.logger.error(error),
    )
  }),
  "a revocation that fails": of("provider-answer")(async (stage) => {
    await stage.browser.signIn("oidc")
    await disconnectAccount(requestOf(stage), stage.host.config, { provider: "oidc" })
  }),
}

/** What is wrong with an ID token, too. */
const ofLogout: Partial<Readonly<Record<WrongLogoutTokenName, FailureReason>>> = {
  "signed with another key": "token-signature",
  unsigned: "token-signature",
  "signed by HMAC with the public key": "token-signature",
  "of another issuer": "token-issuer",
  "for another client": "token-audience",
  expired: "token-clock",
  "older than two minutes": "token-clock",
  "without iat": "token-clock",
}

export const logoutRows: Rows = {
  ...Object.fromEntries(
    wrongLogoutTokenNames.map((name): [string, Row] => [
      `a logout token: ${name}`,
      {
        async flow(stage) {
          await stage.browser.signIn("oidc")
          const token = await stage.host.idp.wrongLogoutToken(name, { sub: "ada-1815" })
          await stage.send("/auth/backchannel-logout/oidc", {
            method: "POST",
            body: new URLSearchParams({ logout_token: token }),
          })
        },
        reason: ofLogout[name] ?? "logout-token-invalid",
      },
    ]),
  ),
  "a frame of another issuer": of("token-issuer")(({ send }) =>
    send(`/auth/frontchannel-logout/oidc?iss=https://evil.test&sid=${secretMark}-session`),
  ),
  "a provider that is down at the sign-out": of("provider-answer")(async (stage) => {
    using clock = fixedClock()
    await stage.browser.signIn("oidc")
    clock.advance({ days: 2 })
    stage.host.idp.faults.turnOn({
      response: (sent, { endpoint }) =>
        endpoint === "discovery" ? new Response(`${secretMark}`, { status: 500 }) : sent,
    })
    await stage.browser.signOut()
  }),
}

export const sessionRows: Rows = {
  "more than a user may have": of("access-refused", { tracking: { maxPerUser: { count: 1, over: "refuse" } } })(
    async (stage) => {
      await signIn(stage)
      await signIn(stage, stage.newBrowser())
    },
  ),
  "an unknown session": of("request-invalid")(async (stage) =>
    post(await signIn(stage), "/auth/account/sessions", { action: "end", id: "" }),
  ),
  "a device that the app cannot describe": of("callback-threw", {
    session: {
      track: trackSessions({
        device: ({ headers }) => {
          throw new Error(`no device of ${headers.get("user-agent")} ${headers.get("cookie")}`)
        },
      }),
    },
  })((stage) => signIn(stage)),
  "a page that needs a newer sign-in": {
    async flow(stage) {
      using clock = fixedClock()
      await signIn(stage)
      clock.advance({ hours: 1 })
      await requireFresh(requestOf(stage), stage.host.config, { maxAgeSeconds: 60 })
    },
    reason: null,
    why: "it leads to the page that asks, as a guard does",
  },
  "a cookie that was altered": {
    ...of("session-altered")(async (stage) => {
      await signIn(stage)
      const name = stage.browser.cookies.names().find((each) => each.includes("session-token")) ?? ""
      const value = stage.browser.cookies.get(name) ?? ""
      stage.browser.cookies.set(name, `${value.slice(0, 150)}!${value.slice(151)}`)
      await stage.browser.session()
    }),
    only: "jwt",
  },
}

export const doctorRows: Rows = {
  "a probe that was forged": of("request-invalid")(({ send }) =>
    send("/auth/doctor", { method: "POST", headers: { "latchkey-doctor": `${secretMark}-probe` } }),
  ),
  "a probe for another site": of("request-invalid")(async ({ send, host }) => {
    const { value } = await createProbe(String(host.config.secret), { origin: "https://evil.test", cookieKibibytes: 0 })
    await send("/auth/doctor", { method: "POST", headers: { "latchkey-doctor": value } })
  }),
}

export const languageRows: Rows = {
  "an app that cannot choose": of(
    "callback-threw",
    {},
  )(({ app, browser }) => {
    app.watch("languages.locale")
    return browser.open("/auth/signin")
  }),
}

export const manageRows: Rows = {
  "a password that is refused": of("input-refused")(async (stage) => {
    await signUp(stage)
    const user = await stage.adapter.getUserByEmail(otherAddress)
    await setPassword(stage.host.config, user?.id ?? "", "s3cr3t").catch((error: Error) =>
      stage.host.logger.error(error),
    )
  }),
  "a hash of an unknown format": of("request-invalid")(async (stage) => {
    await importPassword(stage.host.config, "u-ada", `$${secretMark}$hash`).catch((error: Error) =>
      stage.host.logger.error(error),
    )
  }),
}

export const deletionRows: Rows = {
  "a planned one, when the app fails": of("callback-threw", { area: { deleteAfterDays: 7 } })(async (stage) => {
    using clock = fixedClock()
    await post(await signIn(stage), "/auth/account/delete", { action: "delete", confirm: address })
    clock.advance({ days: 8 })
    stage.app.watch("area.beforeDelete")
    await deleteDueUsers(stage.host.config, origin).catch((error: Error) => stage.host.logger.error(error))
  }),
}

export const freshnessRows: Rows = {
  "a confirmation with a wrong password": of("credentials-wrong")(async (stage) => {
    using clock = fixedClock()
    await signIn(stage)
    clock.advance({ hours: 1 })
    await post(stage.browser, "/auth/callback/cred", { name: address, pin: `${secretMark} wrong` })
  }),
  "a confirmation without a session": {
    flow: ({ browser }) => post(browser, "/auth/confirm/cred", { name: address, pin: password }),
    reason: null,
    why: "it leads to the sign-in page",
  },
}
