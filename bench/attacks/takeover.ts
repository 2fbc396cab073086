// Attacks that end in the account of another user.
import type { Browser } from "@latchkey/testkit"
import { type Attack, decide } from "./attack.ts"

/** Writes cookies into another browser, as a page of a sibling subdomain can. `__Host-` cookies are safe from that. */
function plantCookies(from: Browser, into: Browser): void {
  for (const { name, value } of from.cookies.list()) if (!name.startsWith("__Host-")) into.cookies.set(name, value)
}

const plantedLink: Attack = {
  id: "planted-link",
  group: "Account takeover",
  title: "Linking by a planted sign-in",
  story:
    "The attacker starts a sign-in, plants its state, PKCE and nonce cookies in the browser of a signed-in victim through a sibling subdomain, and sends the victim to the callback URL. Then the attacker signs in with their own account at the provider.",
  source: "RFC 9700, section 4.7",
  needs: ["provider"],
  async run(open) {
    const app = await open()
    const [victim, attacker] = [app.newBrowser(), app.newBrowser()]
    await app.signInAlice(victim)
    const user = await app.whoIs(victim)
    const callback = await app.authorize(await app.startSignIn(attacker), app.mallory)
    plantCookies(attacker, victim)
    await victim.open(callback, { from: app.idp.origin })
    const visitor = app.newBrowser()
    await app.signIn(visitor, app.mallory)
    const found = await app.whoIs(visitor)
    return decide(found !== null && found.id === user?.id, "the attacker's provider account opens the victim's account")
  },
}

const plantedSignIn: Attack = {
  id: "planted-sign-in",
  group: "Account takeover",
  title: "Wrong account by a planted sign-in",
  story:
    "The same, to sign a visitor in to the attacker's account. The victim is signed out. What they save afterwards, they save in the attacker's account. A browser that accepts cookies of a sibling subdomain looks the same to the server as the one that began the sign-in, unless a `__Host-` cookie is part of the flow.",
  source: "RFC 9700, section 4.7",
  needs: ["provider"],
  async run(open) {
    const app = await open()
    const [victim, attacker] = [app.newBrowser(), app.newBrowser()]
    const callback = await app.authorize(await app.startSignIn(attacker), app.mallory)
    plantCookies(attacker, victim)
    await victim.open(callback, { from: app.idp.origin })
    const found = await app.whoIs(victim)
    return decide(found?.email === app.mallory.email, "the victim is signed in as the attacker")
  },
}

const foreignCallback: Attack = {
  id: "foreign-callback",
  group: "Account takeover",
  title: "Callback URL of another browser",
  story:
    "A visitor who began no sign-in opens a callback URL of the attacker. Login CSRF: the attacker sends the link with their own authorization code. Nothing is planted.",
  source: "RFC 6749, section 10.12",
  needs: ["provider"],
  async run(open) {
    const app = await open()
    const [victim, attacker] = [app.newBrowser(), app.newBrowser()]
    const callback = await app.authorize(await app.startSignIn(attacker), app.mallory)
    await victim.open(callback, { from: "https://evil.test/" })
    return decide((await app.whoIs(victim)) !== null, "the victim is signed in as the attacker")
  },
}

const unverifiedEmail: Attack = {
  id: "unverified-email",
  group: "Account takeover",
  title: "Unverified email at a provider",
  story:
    "The attacker enters the victim's address at a provider that does not verify it. The victim has an account. The provider says `email_verified: false` for the attacker.",
  source: "OpenID Connect Core 1.0, section 5.7",
  needs: ["provider", "mail"],
  async run(open) {
    const app = await open()
    const [victim, attacker] = [app.newBrowser(), app.newBrowser()]
    await victim.open(await app.mailLink(victim, app.alice.email))
    const user = await app.whoIs(victim)
    if (user === null) throw new Error("The victim's own link does not sign in")
    await app.signIn(attacker, { ...app.mallory, email: app.alice.email, email_verified: false })
    const found = await app.whoIs(attacker)
    return decide(found?.id === user.id, "the attacker is in the victim's account")
  },
}

const earlierAccount: Attack = {
  id: "earlier-account",
  group: "Account takeover",
  title: "Account created before the victim's",
  story:
    "The attacker creates an account with the victim's address before the victim does. The attacker signs in through a provider that does not verify addresses. Later the victim proves the address with a mailed link, and the attacker comes back.",
  source: "Sudhodanan and Paverd: Pre-hijacked accounts (USENIX Security 2022)",
  needs: ["provider", "mail"],
  async run(open) {
    const app = await open()
    const [victim, attacker] = [app.newBrowser(), app.newBrowser()]
    const pretender = { ...app.mallory, email: app.alice.email, email_verified: false }
    await app.signIn(attacker, pretender)
    await victim.open(await app.mailLink(victim, app.alice.email))
    const user = await app.whoIs(victim)
    const isInSession = user !== null && (await app.whoIs(attacker))?.id === user.id
    const later = app.newBrowser()
    await app.signIn(later, pretender)
    const isBack = user !== null && (await app.whoIs(later))?.id === user.id
    const whenRefused =
      user === null ? "the victim is told that the address has an account" : "the victim's account is their own"
    return decide(isInSession || isBack, "both are in one account", whenRefused)
  },
}

const fixation: Attack = {
  id: "session-fixation",
  group: "Account takeover",
  title: "Planted session cookie",
  story: "The attacker signs in, plants the session cookie, waits for the victim to sign in, and uses the old cookie.",
  source: "OWASP ASVS 5.0, 7.2.4",
  needs: [],
  async run(open) {
    const app = await open()
    const [victim, attacker] = [app.newBrowser(), app.newBrowser()]
    await app.signInAlice(attacker)
    await app.signOut(attacker)
    plantCookies(attacker, victim)
    const planted = "a-session-token-that-the-attacker-chose"
    victim.cookies.set(app.sessionCookie, planted)
    await app.signInAlice(victim)
    attacker.cookies.set(app.sessionCookie, planted)
    return decide((await app.whoIs(attacker)) !== null, "the attacker has the victim's session")
  },
}

export const takeovers: readonly Attack[] = [
  plantedLink,
  plantedSignIn,
  foreignCallback,
  unverifiedEmail,
  earlierAccount,
  fixation,
]
