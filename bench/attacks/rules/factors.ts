// Attacks of the rules FAC-01 to FAC-04 and FAC-09, on sign-ins with a second factor.
import type { Browser } from "@latchkey/testkit"
import { decide } from "../attack.ts"
import {
  type AliceWithFactor,
  alicePassword,
  enroll,
  enrollAlice,
  malloryPassword,
  type RuleScene,
  signUp,
  signUpAlice,
} from "./app.ts"
import { type RuleAttack, required } from "./rule.ts"

/** Answers an authorization request as Alice. @returns whether the browser is signed in */
async function signInAtProvider(
  app: RuleScene,
  browser: Browser = app.newBrowser(),
  claims: Readonly<Record<string, unknown>> = {},
): Promise<boolean> {
  app.idp.signInAs({ sub: "alice", name: "Alice", email: app.alice, email_verified: true, ...claims })
  const url = await required(app.startSignIn)(browser)
  const answer = (await app.idp.handler(new Request(url))).headers.get("location") ?? "/"
  await browser.open(answer, { from: app.idp.origin })
  return (await app.whoIs(browser)) === app.alice
}

/** Enrolls Alice, with a linked account at the provider. */
async function enrollLinked(app: RuleScene): Promise<void> {
  const first = await signUpAlice(app)
  // She is signed in, so the account is linked to hers.
  await signInAtProvider(app, first)
  if (!(await signInAtProvider(app))) throw new Error("Alice cannot sign in at the provider")
  await enroll(app, first, app.alice, alicePassword)
}

const byMail: RuleAttack = {
  id: "factor-by-mail",
  rule: "FAC-01",
  title: "Mailed link instead of the second factor",
  story: "The attacker reads the mailbox of a user with an authenticator app, and signs in with a mailed link.",
  source: "NIST SP 800-63B-4, section 2.2",
  needs: ["mailedLink"],
  async run(open) {
    const app = await open()
    const signInByMail = required(app.signInByMail)
    const honest = await signUp(app, app.mallory, malloryPassword)
    const other = app.newBrowser()
    await signInByMail(other, app.mallory)
    if ((await app.whoIs(honest)) !== (await app.whoIs(other))) throw new Error("A link does not sign in")
    await enrollAlice(app)
    const attacker = app.newBrowser()
    await signInByMail(attacker, app.alice)
    return decide((await app.whoIs(attacker)) === app.alice, "no code is asked for")
  },
}

const byProvider: RuleAttack = {
  id: "factor-by-provider",
  rule: "FAC-01",
  title: "Provider instead of the second factor",
  story:
    "The victim has an authenticator app in this app. The attacker controls the victim's account at a linked provider.",
  source: "NIST SP 800-63B-4, section 2.2",
  needs: ["provider"],
  async run(open) {
    const app = await open()
    await enrollLinked(app)
    return decide(await signInAtProvider(app), "no code is asked for")
  },
}

const claimed: RuleAttack = {
  id: "claimed-factor",
  rule: "FAC-09",
  title: "Second factor claimed by a provider",
  story:
    'The attacker signs in at a linked provider, whose ID token has `amr: ["mfa"]`. The app does not trust this provider for second factors.',
  source: "OWASP ASVS 5.0, 6.8.4",
  needs: ["provider"],
  async run(open) {
    const app = await open()
    await enrollLinked(app)
    return decide(await signInAtProvider(app, app.newBrowser(), { amr: ["mfa"], acr: "2" }), "no code is asked for")
  },
}

const ownCode: RuleAttack = {
  id: "code-of-another-user",
  rule: "FAC-02",
  title: "Code of another user",
  story:
    "The attacker has the victim's password, and their own account with an authenticator app. They enter a code of that app in the victim's sign-in.",
  source: "CWE-287",
  needs: [],
  async run(open) {
    const app = await open()
    await enrollAlice(app)
    const own = await enroll(app, await signUp(app, app.mallory, malloryPassword), app.mallory, malloryPassword)
    const attacker = app.newBrowser()
    await app.signIn(attacker, app.alice, alicePassword)
    await app.verify(attacker, await own.newCode())
    return decide((await app.whoIs(attacker)) === app.alice, "the code is accepted")
  },
}

const latePending: RuleAttack = {
  id: "late-pending-sign-in",
  rule: "FAC-02",
  title: "Sign-in that waits for its code for hours",
  story:
    "A user leaves the computer on the page that asks for the code. Two hours later an attacker enters a code there that they saw on the user's phone.",
  source: "OWASP ASVS 5.0, 6.6.2",
  needs: ["pending"],
  async run(open) {
    const app = await open()
    const user = await enrollAlice(app)
    const browser = app.newBrowser()
    await app.signIn(browser, app.alice, alicePassword)
    app.pass(120)
    await app.verify(browser, await user.newCode())
    return decide((await app.whoIs(browser)) === app.alice, "the sign-in still waits")
  },
}

const replay: RuleAttack = {
  id: "code-used-twice",
  rule: "FAC-03",
  title: "Code used twice",
  story:
    "The attacker knows the password and looks over the victim's shoulder. The code is valid for 30 seconds, but only for one sign-in.",
  source: "RFC 6238, section 5.2",
  needs: [],
  async run(open) {
    const app = await open()
    const user = await enrollAlice(app)
    const [victim, attacker] = [app.newBrowser(), app.newBrowser()]
    const code = await user.newCode()
    for (const browser of [victim, attacker]) {
      await app.signIn(browser, app.alice, alicePassword)
      await app.verify(browser, code)
    }
    if ((await app.whoIs(victim)) !== app.alice) throw new Error("The victim's own code is refused")
    return decide((await app.whoIs(attacker)) === app.alice, "the code works again")
  },
}

const parallel: RuleAttack = {
  id: "code-ten-times-at-once",
  rule: "FAC-03",
  title: "One code, ten sign-ins at once",
  story:
    "Ten sign-ins with the right password wait for a code, and get the same code at the same time. If the check and the write are separate steps, the code is accepted more than once.",
  source: "CWE-367",
  needs: [],
  async run(open) {
    const app = await open()
    const user = await enrollAlice(app)
    const browsers = Array.from({ length: 10 }, () => app.newBrowser())
    for (const browser of browsers) await app.signIn(browser, app.alice, alicePassword)
    const code = await user.newCode()
    await Promise.all(browsers.map((browser) => app.verify(browser, code)))
    const sessions = (await Promise.all(browsers.map(app.whoIs))).filter((found) => found === app.alice)
    return decide(sessions.length > 1, `${sessions.length} sessions`, "one session")
  },
}

const setupCode: RuleAttack = {
  id: "code-of-the-setup",
  rule: "FAC-03",
  title: "Setup code used to sign in",
  story:
    "The attacker knows the password and sees the code that the user types to set up the app. They sign in with it at once.",
  source: "RFC 6238, section 5.2",
  needs: [],
  async run(open) {
    const app = await open()
    const browser = await signUpAlice(app)
    const { app: authenticator } = await app.enroll(browser, alicePassword)
    const attacker = app.newBrowser()
    await app.signIn(attacker, app.alice, alicePassword)
    if ((await app.whoIs(attacker)) !== null) throw new Error("No second factor is asked for")
    await app.verify(attacker, await authenticator.code())
    return decide((await app.whoIs(attacker)) === app.alice, "the code works again")
  },
}

/** Enters five wrong codes in each of several sign-ins. @returns whether the right code is accepted afterwards */
async function guessCodes(app: RuleScene, user: AliceWithFactor, networks: readonly string[]): Promise<boolean> {
  for (const network of networks) {
    const browser = app.newBrowser({ network })
    await app.signIn(browser, app.alice, alicePassword)
    for (let guess = 0; guess < 5; guess++) await app.verify(browser, `00000${guess}`)
    app.pass(0.2)
  }
  const last = app.newBrowser({ network: networks.at(-1) ?? "" })
  await app.signIn(last, app.alice, alicePassword)
  await app.verify(last, await user.newCode())
  return (await app.whoIs(last)) === app.alice
}

const oneNetwork: RuleAttack = {
  id: "guessed-codes",
  rule: "FAC-04",
  title: "Thirty guessed codes from one network",
  story:
    "The attacker has the password. They guess five codes in each of six sign-ins from one network, and then enter the right one.",
  source: "OWASP ASVS 5.0, 6.3.1",
  needs: [],
  async run(open) {
    const app = await open()
    const network = app.newNetwork()
    const isIn = await guessCodes(app, await enrollAlice(app), Array(6).fill(network))
    return decide(isIn, "30 guesses pass", "the guesses are limited")
  },
}

const manyNetworks: RuleAttack = {
  id: "guessed-codes-from-many-networks",
  rule: "FAC-04",
  title: "120 guessed codes from 24 networks",
  story:
    "The attacker guesses five codes in each of 24 sign-ins, each from a different network, and then enters the right one. Only a limit for the account stops this.",
  source: "NIST SP 800-63B-4, section 3.2.2",
  needs: [],
  async run(open) {
    const app = await open()
    const user = await enrollAlice(app)
    const isIn = await guessCodes(app, user, Array.from({ length: 24 }, app.newNetwork))
    return decide(isIn, "120 guesses pass", "the guesses are limited")
  },
}

const lockedOut: RuleAttack = {
  id: "owner-locked-out",
  rule: "FAC-04",
  title: "Guessed codes that lock the owner out",
  story:
    "The cost of such a limit: after thirty guesses by an attacker, the owner signs in from another network with a recovery code.",
  source: "OWASP Authentication Cheat Sheet, account lockout",
  needs: ["recovery"],
  async run(open) {
    const app = await open()
    const user = await enrollAlice(app)
    await guessCodes(app, user, Array(6).fill(app.newNetwork()))
    const owner = app.newBrowser()
    await app.signIn(owner, app.alice, alicePassword)
    await required(app.verifyRecoveryCode)(owner, user.recoveryCodes[0] ?? "")
    return decide((await app.whoIs(owner)) !== app.alice, "the owner is locked out", "the owner gets in")
  },
}

const usedRecovery: RuleAttack = {
  id: "recovery-code-twice",
  rule: "FAC-03",
  title: "Recovery code used ten times at once",
  story: "A recovery code works for one sign-in. Ten sign-ins use the same code at the same time.",
  source: "OWASP ASVS 5.0, 6.5.1",
  needs: ["recovery"],
  async run(open) {
    const app = await open()
    const user = await enrollAlice(app)
    const browsers = Array.from({ length: 10 }, () => app.newBrowser())
    for (const browser of browsers) await app.signIn(browser, app.alice, alicePassword)
    const give = required(app.verifyRecoveryCode)
    await Promise.all(browsers.map((browser) => give(browser, user.recoveryCodes[0] ?? "")))
    const sessions = (await Promise.all(browsers.map(app.whoIs))).filter((found) => found === app.alice)
    return decide(sessions.length !== 1, `${sessions.length} sessions`, "one session")
  },
}

export const signInRules: readonly RuleAttack[] = [
  byMail,
  byProvider,
  ownCode,
  latePending,
  replay,
  parallel,
  setupCode,
  usedRecovery,
  oneNetwork,
  manyNetworks,
  lockedOut,
  claimed,
]
