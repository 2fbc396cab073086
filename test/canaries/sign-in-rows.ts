import { type FaultName, fixedClock, type Misbehavior, passkeyClient, softwareAuthenticator } from "@latchkey/testkit"
import type { Row, Rows } from "./rows.js"
import {
  address,
  newPassword,
  origin,
  otherAddress,
  password,
  person,
  personMark,
  post,
  type Stage,
  type StageOptions,
  secretMark,
  signIn,
} from "./stage.js"

/** Begins a sign-in at a provider. @returns the address that the provider sends the visitor back to */
async function goThere({ host, browser }: Stage, id = "oidc"): Promise<URL> {
  const callbackUrl = `/in?${personMark}=${secretMark}-path`
  const begun = await post(browser, `/auth/signin/${id}`, { callbackUrl }, "text/html")
  const sent = await host.idp.handler(new Request(begun.headers.get("location") ?? ""))
  return new URL(sent.headers.get("location") ?? "")
}

/** A callback after something was done to it, or to the browser. */
const returning =
  (change: (back: URL, stage: Stage) => unknown, id = "oidc"): Row["flow"] =>
  async (stage) => {
    const back = await goThere(stage, id)
    await change(back, stage)
    await stage.browser.fetch(back)
  }

const faulty =
  (name: FaultName, id = "oidc"): Row["flow"] =>
  async (stage) => {
    const begun = await post(stage.browser, `/auth/signin/${id}`, {}, "text/html")
    stage.host.idp.faults.turnOn(name)
    const sent = await stage.host.idp.handler(new Request(begun.headers.get("location") ?? ""))
    await stage.browser.fetch(sent.headers.get("location") ?? "")
  }

/** The token endpoint answers with an error that quotes what it got. */
const quoting =
  (error: string, id = "oidc"): Row["flow"] =>
  async (stage) => {
    const { idp } = stage.host
    idp.faults.turnOn({
      response: (sent, { endpoint }) => {
        const params = idp.requests.token.at(-1)?.params ?? new URLSearchParams()
        const said = `${params} ${idp.clients[0]?.client_secret}`
        return endpoint === "token" ? Response.json({ error, error_description: said }, { status: 400 }) : sent
      },
    })
    await stage.browser.fetch(await goThere(stage, id))
  }

/** The provider sends the visitor back with an error that quotes what it knows. */
const denied = (error: string): Row["flow"] =>
  returning(({ searchParams }, { host }) => {
    searchParams.delete("code")
    searchParams.set("error", error)
    const asked = host.idp.requests.authorization.at(-1)?.params
    searchParams.set("error_description", `User ${address} of ${asked} may not\n[auth][error] \u001b[31mforged`)
  })

const of =
  (reason: Row["reason"], options?: StageOptions) =>
  (flow: Row["flow"]): Row => ({ reason, flow, ...(options && { options }) })

export const oauthRows: Rows = {
  "denied by the user": of("denied-by-user")(denied("access_denied")),
  "denied by the provider": of("denied-by-provider")(denied("temporarily_unavailable")),
  "an error that the visitor made up": of("denied-by-provider")(denied("made_up_error")),
  "without a state": of("state-missing")(returning(({ searchParams }) => searchParams.delete("state"))),
  "with two states": of("state-repeated")(
    returning(({ searchParams }) => searchParams.append("state", `${secretMark}-state-x`)),
  ),
  "with another state": of("state-altered")(
    returning(({ searchParams }) => searchParams.set("state", `${secretMark}-state-x`)),
  ),
  "without cookies": of("flow-cookies-missing")(returning((_, { browser }) => browser.cookies.clear())),
  "in another browser": of("flow-cookies-missing")(async (stage) => {
    const back = await goThere(stage)
    await stage.newBrowser().fetch(back)
  }),
  "too late": of("flow-expired")(async (stage) => {
    using clock = fixedClock()
    const back = await goThere(stage)
    clock.advance({ minutes: 16 })
    await stage.browser.fetch(back)
  }),
  "opened twice": of("flow-completed")(
    returning(async (back, { browser }) => {
      await browser.open(back)
      await browser.signOut()
    }),
  ),
  "without its verifier": of("pkce-missing")(
    returning((_, { browser }) => {
      for (const name of browser.cookies.names()) if (name.includes("pkce")) browser.cookies.delete(name)
    }),
  ),
  "with a code of another flow": of("code-rejected")(
    returning(({ searchParams }) => searchParams.set("code", `${secretMark}-code-1`)),
  ),
  "as a form": of("provider-unknown")(async (stage) => {
    const { searchParams } = await goThere(stage)
    await stage.send("/auth/callback/nobody", { method: "POST", body: searchParams })
  }),
  "an answer that quotes the request": of("code-rejected")(quoting("invalid_grant")),
  "a client that is refused, with its secret": of("client-rejected")(quoting("invalid_client")),
  "the same of OAuth 2.0": of("client-rejected")(quoting("invalid_client", "oauth")),
  "an ID token of another key": of("token-signature")(faulty("id-token-signature-changed")),
  "an ID token for another client": of("token-audience")(faulty("id-token-aud-wrong")),
  "an ID token with another nonce": of("nonce-wrong")(faulty("id-token-nonce-wrong")),
  "an ID token that is over": of("token-clock")(faulty("id-token-expired")),
  "a profile that the app refuses": of("profile-invalid", {
    oidc: {
      profile: (claims) => {
        throw new Error(`no ${claims.email} ${JSON.stringify(claims)}`)
      },
    },
  })((stage) => stage.browser.signIn("oidc")),
  "a link to an account of another user": of("account-of-another-user")(async (stage) => {
    stage.host.idp.signInAs({ ...person, sub: "another", email: otherAddress })
    await stage.browser.signIn("oidc")
    stage.host.idp.signInAs(person)
    await stage.browser.signIn("oauth")
  }),
  "an address of another user": of("account-of-another-user")(async (stage) => {
    stage.host.idp.signInAs({ ...person, sub: "another" })
    await stage.browser.signIn("oidc")
  }),
  "a form of another site": of("form-other-origin")(async ({ browser }) => {
    const body = new URLSearchParams({ csrfToken: await browser.csrfToken(), email: address })
    await browser.fetch("/auth/signin/oidc", { method: "POST", body, headers: { origin: "https://evil.test" } })
  }),
  "a form without its token": of("form-token-missing")(({ browser }) =>
    browser.fetch("/auth/signin/oidc", { method: "POST", body: new URLSearchParams({ email: address }) }),
  ),
  "a form with the token of another": of("form-token-foreign")(async ({ browser, newBrowser }) =>
    post(browser, "/auth/signin/oidc", { csrfToken: await newBrowser().csrfToken() }),
  ),
}

const card = { name: address, pin: password }

export const credentialsRows: Rows = {
  "a wrong password": of("credentials-wrong")(({ browser }) =>
    post(browser, "/auth/callback/cred", { ...card, pin: `${secretMark} wrong` }),
  ),
  "fields that are no text": of("request-invalid")(({ browser }) =>
    browser.csrfToken().then((csrfToken) =>
      browser.fetch("/auth/callback/cred", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ csrfToken, name: [address], pin: { [secretMark]: password } }),
      }),
    ),
  ),
  "a body that is no JSON": of("request-invalid")(({ send }) =>
    send("/auth/callback/cred", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{"pin":"${password}`,
    }),
  ),
  "too many attempts": of("rate-limited", { rateLimit: { budgets: { callback: { limit: 1, windowSeconds: 60 } } } })(
    async ({ browser }) => {
      for (let n = 0; n < 2; n++) await post(browser, "/auth/callback/cred", { ...card, pin: `${secretMark} wrong` })
    },
  ),
  "a user that signIn refuses": of("sign-in-callback-refused", { callbacks: { signIn: () => false } })((stage) =>
    signIn(stage),
  ),
  "a session that is too large": {
    ...of("session-too-large", {
      callbacks: { jwt: ({ token }) => ({ ...token, large: `${secretMark}`.repeat(20_000) }) },
    })((stage) => signIn(stage)),
    only: "jwt",
  },
  "by GET": of("provider-unknown")(({ send }) => send(`/auth/callback/cred?${new URLSearchParams(card)}`)),
}

/** A mail with a link and a code. */
async function mailed(stage: Stage, email = address): Promise<Stage> {
  await post(stage.browser, "/auth/signin/email", { email }, "text/html")
  return stage
}

/** Presses the button on the page behind the link, in another browser. */
export async function press(stage: Stage, change: Readonly<Record<string, string>> = {}): Promise<void> {
  const { pathname, searchParams } = new URL(stage.host.mailbox.lastLink())
  await post(stage.newBrowser(), pathname, { ...Object.fromEntries(searchParams), ...change }, "text/html")
}

const refusing =
  (error: Error): Row["flow"] =>
  async (stage) => {
    stage.host.mailbox.refuseNext(error)
    await mailed(stage)
  }

export const emailRows: Rows = {
  "an address that is none": of("address-invalid")((stage) => mailed(stage, `${personMark}@b@c`)),
  "a server that quotes the address": of("mail-rejected")(
    refusing(Object.assign(new Error(`550 <${address}> unknown`), { responseCode: 550, response: `550 ${address}` })),
  ),
  "a server that does not answer": of("mail-unreachable")(
    refusing(Object.assign(new Error(`connect to ${address}`), { code: "ECONNREFUSED" })),
  ),
  "a link that was used": of("link-spent")(async (stage) => {
    await mailed(stage)
    for (let n = 0; n < 2; n++) await press(stage)
  }),
  "a link that is too old": of("link-expired")(async (stage) => {
    using clock = fixedClock()
    await mailed(stage)
    clock.advance({ days: 2 })
    await press(stage)
  }),
  "a link of another mail": of("link-spent")(async (stage) =>
    press(await mailed(stage), { token: `${secretMark}-token` }),
  ),
  "a link without a token": of("request-invalid")(async (stage) => press(await mailed(stage), { token: "" })),
  "a link without an address": of("link-spent")(async (stage) => press(await mailed(stage), { email: "" })),
  "a link to another address": of("link-spent")(async (stage) => press(await mailed(stage), { email: otherAddress })),
  "a code that is wrong": of("code-guesses")(async (stage) => {
    await mailed(stage)
    const code = stage.host.mailbox.lastCode() === "123456" ? "654321" : "123456"
    await post(stage.browser, "/auth/callback/email", { code })
  }),
  "a code that was wrong too often": of("code-guesses")(async (stage) => {
    await mailed(stage)
    const code = stage.host.mailbox.lastCode() === "123456" ? "654321" : "123456"
    for (let n = 0; n < 6; n++) await post(stage.browser, "/auth/callback/email", { code })
  }),
  "a code in another browser": of("link-replaced")(async (stage) => {
    await mailed(stage)
    await post(stage.newBrowser(), "/auth/callback/email", { code: stage.host.mailbox.lastCode() })
  }),
  "an address that signIn refuses": of("sign-in-callback-refused", { callbacks: { signIn: () => false } })(mailed),
  "too many mails": of("rate-limited", { rateLimit: {} })(async (stage) => {
    for (let n = 0; n < 30; n++) await mailed(stage)
  }),
}

/** A user with a passkey, and how they answer next. */
const byPasskey =
  (misbehavior: Misbehavior, isRegistered = true): Row["flow"] =>
  async (stage) => {
    const browser = await signIn(stage)
    const client = passkeyClient({ browser, device: softwareAuthenticator({ origin }) })
    if (!isRegistered) return client.register(undefined, misbehavior)
    await client.register()
    await client.signIn({ counter: 7 })
    return client.signIn(misbehavior)
  }

/** The answer of a passkey to other options. */
const answeringOthers =
  (change: (stage: Stage) => unknown): Row["flow"] =>
  async (stage) => {
    const browser = await signIn(stage)
    const device = softwareAuthenticator({ origin })
    const client = passkeyClient({ browser, device })
    await client.register()
    const answer = await device.get(await client.request())
    await change(stage)
    await client.finish("authenticate", answer)
  }

export const webauthnRows: Rows = {
  "the handle of another user": of("passkey-handle")(byPasskey({ userHandle: "AAAA", counter: 8 })),
  "another origin": of("passkey-origin")(byPasskey({ clientData: { origin: "https://evil.test" }, counter: 8 })),
  "a counter that fell": of("passkey-counter")(byPasskey({ counter: 3 })),
  "a wrong signature": of("passkey-invalid")(byPasskey({ signature: () => new Uint8Array(64).fill(9), counter: 8 })),
  "another challenge": of("passkey-invalid")(byPasskey({ clientData: { challenge: "AAAAAAAA" }, counter: 8 })),
  "without the cookie of the challenge": of("flow-cookies-missing")(
    answeringOthers(({ browser }) => {
      for (const name of browser.cookies.names()) if (name.includes("challenge")) browser.cookies.delete(name)
    }),
  ),
  "for another action": of("request-invalid")(async (stage) => {
    const client = passkeyClient({ browser: await signIn(stage), device: softwareAuthenticator({ origin }) })
    const answer = await softwareAuthenticator({ origin }).create(await client.creation())
    await client.finish("authenticate", { ...answer, response: { ...answer.response, authenticatorData: "AAAA" } })
  }),
  "an unknown passkey": of("passkey-invalid")(async (stage) => {
    const device = softwareAuthenticator({ origin })
    const registered = passkeyClient({ browser: await signIn(stage), device })
    await registered.register()
    for (const { credentialID } of await stage.adapter.listAuthenticatorsByUserId("u-ada"))
      await stage.adapter.deleteAuthenticator(credentialID)
    await passkeyClient({ browser: stage.newBrowser(), device }).signIn()
  }),
  "a registration that is wrong": of("passkey-invalid")(byPasskey({ clientData: { type: "webauthn.get" } }, false)),
  "data that is none": of("request-invalid")(async ({ browser }) =>
    post(browser, "/auth/callback/passkey", { action: "authenticate", data: `{"id":"${secretMark}"` }),
  ),
  "a new passkey for the address of another user": {
    flow: ({ browser }) =>
      passkeyClient({ browser, device: softwareAuthenticator({ origin }) }).ask({ action: "register", email: address }),
    reason: null,
    why: "the answer is that of an address without an account",
  },
}

const path = "/auth/password"

/** Creates an account with a password. */
export async function signUp(stage: Stage, email = otherAddress, chosen = password): Promise<void> {
  await post(stage.browser, `${path}/sign-up`, { email, password: chosen, name: person.name })
  await post(stage.browser, `${path}/sign-up`, { code: codeTo(stage, email) })
}

export function codeTo({ mails }: Stage, to: string): string {
  const mail = mails.findLast((each) => each.to === to)
  return /^\d{6}$/m.exec(mail?.text ?? "")?.[0] ?? ""
}

export function linkTo({ mails }: Stage, to: string): URL {
  const mail = mails.findLast((each) => each.to === to)
  return new URL(/https?:\S+[?&]\S+/.exec(mail?.text ?? "")?.[0] ?? origin)
}

const wrongCode = (code: string) => (code === "123456" ? "654321" : "123456")

async function forget(stage: Stage): Promise<Stage> {
  await signUp(stage)
  await stage.browser.signOut()
  await post(stage.browser, `${path}/forgot`, { email: otherAddress })
  return stage
}

export const passwordRows: Rows = {
  "signing in with a wrong password": of("credentials-wrong")(async (stage) => {
    await signUp(stage)
    await post(stage.newBrowser(), "/auth/callback/password", { email: otherAddress, password: newPassword })
  }),
  "signing in as nobody": of("credentials-wrong")(({ browser }) =>
    post(browser, "/auth/callback/password", { email: otherAddress, password }),
  ),
  "signing up with a short password": of("input-refused")(({ browser }) =>
    post(browser, `${path}/sign-up`, { email: otherAddress, password: "s3cr3t" }),
  ),
  "signing up with the address as password": of("input-refused")(({ browser }) =>
    post(browser, `${path}/sign-up`, { email: otherAddress, password: otherAddress }),
  ),
  "signing up with no address": of("address-invalid")(({ browser }) =>
    post(browser, `${path}/sign-up`, { email: `${personMark}@@`, password }),
  ),
  "signing up with a wrong code": of("code-guesses")(async (stage) => {
    await post(stage.browser, `${path}/sign-up`, { email: otherAddress, password })
    await post(stage.browser, `${path}/sign-up`, { code: wrongCode(codeTo(stage, otherAddress)) })
  }),
  "signing up with a code in another browser": of("link-replaced")(async (stage) => {
    await post(stage.browser, `${path}/sign-up`, { email: otherAddress, password })
    await post(stage.newBrowser(), `${path}/sign-up`, { code: codeTo(stage, otherAddress) })
  }),
  "signing up with the address of another user": {
    flow: ({ browser }) => post(browser, `${path}/sign-up`, { email: address, password }),
    reason: null,
    why: "the answer is that of every address, and the owner gets a mail",
  },
  "a mail server that quotes the mail": of("mail-rejected", {
    passwords: {
      mail: { send: (mail) => Promise.reject(new Error(`550 ${mail.to} ${mail.text} ${mail.html}`)) },
    },
  })(({ browser }) => post(browser, `${path}/sign-up`, { email: otherAddress, password })),
  "a forgotten password of nobody": {
    flow: ({ browser }) => post(browser, `${path}/forgot`, { email: `${personMark}.no@visitor.example` }),
    reason: null,
    why: "the answer is that of every address",
  },
  "a reset with a wrong code": of("code-guesses")(async (stage) => {
    await forget(stage)
    await post(stage.browser, `${path}/reset`, { code: wrongCode(codeTo(stage, otherAddress)), password: newPassword })
  }),
  "a reset by a link that was used": of("link-spent")(async (stage) => {
    await forget(stage)
    const fields = Object.fromEntries(linkTo(stage, otherAddress).searchParams)
    for (let n = 0; n < 2; n++) await post(stage.newBrowser(), `${path}/reset`, { ...fields, password: newPassword })
  }),
  "a reset by a link that is too old": of("link-expired")(async (stage) => {
    using clock = fixedClock()
    await forget(stage)
    clock.advance({ days: 2 })
    const fields = Object.fromEntries(linkTo(stage, otherAddress).searchParams)
    await post(stage.newBrowser(), `${path}/reset`, { ...fields, password: newPassword })
  }),
  "a reset by a link that was changed": of("link-spent")(async (stage) => {
    await forget(stage)
    const fields = { ...Object.fromEntries(linkTo(stage, otherAddress).searchParams), token: `${secretMark}-token` }
    await post(stage.newBrowser(), `${path}/reset`, { ...fields, password: newPassword })
  }),
  "a change with a wrong password": of("credentials-wrong")(async (stage) => {
    await signUp(stage)
    await post(stage.browser, `${path}/change`, { current: `${secretMark} wrong`, password: newPassword })
  }),
  "a change to the same password": of("input-refused")(async (stage) => {
    await signUp(stage)
    await post(stage.browser, `${path}/change`, { current: password, password })
  }),
  "a change without a session": {
    flow: ({ browser }) => post(browser, `${path}/change`, { current: password, password: newPassword }),
    reason: null,
    why: "it leads to the sign-in page",
  },
}
