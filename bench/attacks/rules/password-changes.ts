// Attacks of the rules PASS-03, PASS-04, PASS-08 and PASS-09, on resets and changes of passwords.
import { copyCookies } from "../app.ts"
import { decide, refused } from "../attack.ts"
import { alicePassword, enrollAlice, type RuleScene, signInAsAlice, signUpAlice } from "./app.ts"
import type { RuleAttack } from "./rule.ts"

const newPassword = "nine herons by the mill"
const otherPassword = "old ferry to the island"

const olderLink: RuleAttack = {
  id: "older-reset-link",
  rule: "PASS-03",
  title: "Reset link after another reset",
  story:
    "The attacker has two reset links, for example from a forwarded mailbox. The user has chosen a new password with one of them. The attacker tries both.",
  source: "OWASP Forgot Password Cheat Sheet",
  needs: [],
  async run(open) {
    const app = await open()
    await signUpAlice(app)
    await app.forgot(app.newBrowser(), app.alice)
    const first = (await app.lastMail(app.alice)).link
    app.pass(1)
    await app.forgot(app.newBrowser(), app.alice)
    const second = await waitForAnother(app, first)
    await app.reset(app.newBrowser(), second, newPassword)
    if (!(await signInAsAlice(app, newPassword))) throw new Error("The reset did not work")
    for (const link of [first, second]) await app.reset(app.newBrowser(), link, otherPassword)
    return decide(await signInAsAlice(app, otherPassword), "a link works again")
  },
}

async function waitForAnother(app: RuleScene, link: string): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const found = (await app.lastMail(app.alice)).link
    if (found !== link) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error("No second mail arrived")
}

const linkAfterChange: RuleAttack = {
  id: "reset-link-after-change",
  rule: "PASS-03",
  title: "Reset link after a change of the password",
  story:
    "The attacker has a reset link. The user notices the mail, signs in, and changes the password. Then the attacker uses the link.",
  source: "OWASP Forgot Password Cheat Sheet",
  needs: [],
  async run(open) {
    const app = await open()
    const user = await signUpAlice(app)
    const before = (await app.lastMail(app.alice)).link
    await app.forgot(app.newBrowser(), app.alice)
    const link = await waitForAnother(app, before)
    if (!(await app.change(user, alicePassword, newPassword)).ok) throw new Error("The password cannot be changed")
    await app.reset(app.newBrowser(), link, otherPassword)
    return decide(await signInAsAlice(app, otherPassword), "the link still works")
  },
}

const resetPastFactor: RuleAttack = {
  id: "reset-past-factor",
  rule: "PASS-04",
  title: "Reset of a user with a second factor",
  story:
    "The victim has a second factor. The attacker reads the victim's mailbox, resets the password, and signs in with the new one.",
  source: "OWASP ASVS 5.0, 6.4.3",
  needs: [],
  async run(open) {
    const app = await open()
    const user = await enrollAlice(app)
    const before = (await app.lastMail(app.alice)).link
    const attacker = app.newBrowser()
    await app.forgot(attacker, app.alice)
    await app.reset(attacker, await waitForAnother(app, before), newPassword)
    const isIn = (await app.whoIs(attacker)) !== null
    await app.signIn(attacker, app.alice, newPassword)
    const isInLater = (await app.whoIs(attacker)) !== null
    await app.verify(attacker, await user.newCode())
    if ((await app.whoIs(attacker)) !== app.alice) throw new Error("The reset did not work")
    return decide(isIn || isInLater, "no code is asked for")
  },
}

const changeWithout: RuleAttack = {
  id: "change-without-password",
  rule: "PASS-08",
  title: "Change of the password with a stolen session",
  story:
    "The attacker copies a session right after the sign-in, and changes the password without knowing the current one.",
  source: "OWASP ASVS 5.0, 6.2.3",
  needs: [],
  async run(open) {
    const app = await open()
    const user = await signUpAlice(app)
    const attacker = app.newBrowser()
    copyCookies(user, attacker)
    for (const current of ["", "wrong wrong wrong wrong"]) await app.change(attacker, current, newPassword)
    return decide(await signInAsAlice(app, newPassword), "the password is changed")
  },
}

const changeLater: RuleAttack = {
  id: "change-with-old-session",
  rule: "PASS-08",
  title: "Change of the password with an old session",
  story:
    "An attacker who knows the password finds a computer where the user signed in two hours ago, with a second factor. They change the password there to lock the user out.",
  source: "OWASP ASVS 5.0, 7.5.1",
  needs: [],
  async run(open) {
    const app = await open()
    const user = await enrollAlice(app)
    app.pass(120)
    if ((await app.whoIs(user.browser)) === null) return refused("the session has ended")
    await app.change(user.browser, alicePassword, newPassword)
    const later = app.newBrowser()
    await app.signIn(later, app.alice, newPassword)
    await app.verify(later, await user.newCode())
    return decide((await app.whoIs(later)) === app.alice, "the password is changed")
  },
}

const sessionAfterChange: RuleAttack = {
  id: "session-after-change",
  rule: "PASS-08",
  title: "Stolen session after a change of the password",
  story:
    "The attacker has a copy of the session. The user changes the password, and ends all other sessions if the library has that option.",
  source: "OWASP ASVS 5.0, 7.4.3",
  needs: [],
  async run(open) {
    const app = await open()
    const thief = await signUpAlice(app)
    if ((await app.whoIs(thief)) !== app.alice) throw new Error("The stolen session does not work")
    const user = app.newBrowser()
    await app.signIn(user, app.alice, alicePassword)
    await app.change(user, alicePassword, newPassword)
    return decide((await app.whoIs(thief)) !== null, "the stolen session still works")
  },
}

const forgedReset: RuleAttack = {
  id: "forged-reset-mail",
  rule: "PASS-09",
  title: "Forged host or callback in a reset mail",
  story:
    "The attacker asks for a reset of the victim's password, once with a forged `Host` and once with their own callback URL, so that the link in the mail leads to their site.",
  source: "CWE-640",
  needs: [],
  async run(open) {
    const app = await open()
    await signUpAlice(app)
    const before = app.mails.length
    await app.forgot(app.newBrowser({ origin: "https://evil.test" }), app.alice).catch(() => null)
    await app.forgot(app.newBrowser(), app.alice, "https://evil.test/reset").catch(() => null)
    await new Promise((resolve) => setTimeout(resolve, 200))
    const links = app.mails.slice(before).map(({ link }) => decodeURIComponent(link))
    return decide(
      links.some((link) => link.includes("evil.test")),
      "a link leads to the attacker's site",
    )
  },
}

export const passwordChangeRules: readonly RuleAttack[] = [
  olderLink,
  linkAfterChange,
  resetPastFactor,
  changeWithout,
  changeLater,
  sessionAfterChange,
  forgedReset,
]
