// Attacks of the rules FAC-05 to FAC-08 and FAC-10 to FAC-12, on changes of a second factor and on remembered devices.
import type { Browser } from "@latchkey/testkit"
import { copyCookies } from "../app.ts"
import { decide, refused } from "../attack.ts"
import {
  type AliceWithFactor,
  alicePassword,
  enroll,
  enrollAlice,
  malloryPassword,
  type RuleScene,
  signInAsAlice,
  signUp,
  signUpAlice,
} from "./app.ts"
import { type RuleAttack, required } from "./rule.ts"

/** Removes the factor with a stolen session, without password or code. @returns whether the password alone then signs in */
async function removeAsThief(app: RuleScene, user: AliceWithFactor): Promise<boolean> {
  const thief = app.newBrowser()
  copyCookies(user.browser, thief)
  await app.removeFactor(thief, "wrong wrong wrong wrong", "000000")
  return signInAsAlice(app)
}

const removedAtOnce: RuleAttack = {
  id: "factor-removed-at-once",
  rule: "FAC-05",
  title: "Second factor removed with a session that was just stolen",
  story:
    "The attacker copies all cookies right after the user signed in with a code, and turns the second factor off. They have neither the password nor a code.",
  source: "OWASP ASVS 5.0, 7.5.1",
  needs: [],
  async run(open) {
    const app = await open()
    return decide(await removeAsThief(app, await enrollAlice(app)), "removed within ten minutes of the sign-in")
  },
}

const removedLater: RuleAttack = {
  id: "factor-removed-later",
  rule: "FAC-05",
  title: "Second factor removed with an old session",
  story: "The attacker does the same an hour after the sign-in.",
  source: "OWASP ASVS 5.0, 7.5.1",
  needs: [],
  async run(open) {
    const app = await open()
    const user = await enrollAlice(app)
    app.pass(60)
    if ((await app.whoIs(user.browser)) !== app.alice) return refused("the session has ended")
    return decide(await removeAsThief(app, user), "it is removed")
  },
}

const policy: RuleAttack = {
  id: "last-factor-removed",
  rule: "FAC-06",
  title: "Last factor removed although every user needs one",
  story:
    "The app requires a second factor for every user. A user removes their only one, and signs in with the password alone.",
  source: "OWASP ASVS 5.0, 6.3.3",
  needs: ["policy"],
  async run(open) {
    const app = await open()
    const user = await enrollAlice(app)
    required(app.demandFactor)()
    if ((await app.whoIs(user.browser)) !== app.alice) throw new Error("Alice is not signed in")
    await app.removeFactor(user.browser, alicePassword, await user.newCode())
    return decide(await signInAsAlice(app), "the password is enough")
  },
}

/** A remembered browser of Alice, signed out. */
async function rememberAlice(app: RuleScene, user: AliceWithFactor): Promise<Browser> {
  const browser = app.newBrowser()
  await app.signIn(browser, app.alice, alicePassword)
  await app.verify(browser, await user.newCode(), { isRemembered: true })
  await app.signOut(browser)
  if ((await app.whoIs(browser)) !== null) throw new Error("The browser is still signed in")
  return browser
}

const copiedDevice: RuleAttack = {
  id: "remembered-device-of-another-user",
  rule: "FAC-07",
  title: "Remembered device of another user",
  story:
    "The attacker has the victim's password. They sign in as the victim on a device that is remembered for their own account.",
  source: "OWASP ASVS 5.0, 7.5.3",
  needs: ["remember"],
  async run(open) {
    const app = await open()
    await enrollAlice(app)
    const own = await enroll(app, await signUp(app, app.mallory, malloryPassword), app.mallory, malloryPassword)
    const device = app.newBrowser()
    await app.signIn(device, app.mallory, malloryPassword)
    await app.verify(device, await own.newCode(), { isRemembered: true })
    await app.signOut(device)
    await app.signIn(device, app.mallory, malloryPassword)
    if ((await app.whoIs(device)) !== app.mallory) throw new Error("The device is not remembered")
    await app.signOut(device)
    return decide(await signInAsAlice(app, alicePassword, device), "no code is asked for")
  },
}

const staleDevice: RuleAttack = {
  id: "remembered-device-after-change",
  rule: "FAC-07",
  title: "Remembered device after a new second factor",
  story:
    "A remembered laptop is stolen. The user removes the second factor and sets up a new one, so that the laptop is no longer trusted. The thief knows the password.",
  source: "OWASP ASVS 5.0, 7.5.3",
  needs: ["remember"],
  async run(open) {
    const app = await open()
    const user = await enrollAlice(app)
    const device = await rememberAlice(app, user)
    const honest = await rememberAlice(app, user)
    if (!(await signInAsAlice(app, alicePassword, honest))) throw new Error("The device is not remembered")
    const browser = await user.signIn()
    await app.removeFactor(browser, alicePassword, await user.newCode())
    const again = app.newBrowser()
    if (!(await signInAsAlice(app, alicePassword, again))) throw new Error("The factor cannot be removed")
    await enroll(app, again, app.alice, alicePassword)
    return decide(await signInAsAlice(app, alicePassword, device), "no code is asked for")
  },
}

const update: RuleAttack = {
  id: "factor-by-update",
  rule: "FAC-08",
  title: "Second factor turned off by an update",
  story:
    "A script in the page of a signed-in user updates the profile or the session, and adds the fields that describe the second factor.",
  source: "CWE-915",
  needs: ["update"],
  async run(open) {
    const app = await open()
    const user = await enrollAlice(app)
    await required(app.forgeUpdate)(user.browser)
    return decide(await signInAsAlice(app), "no code is asked for")
  },
}

const readKey: RuleAttack = {
  id: "key-read-again",
  rule: "FAC-10",
  title: "Authenticator key read after the setup",
  story:
    "The attacker knows the password and one code, and has the session for a moment. With the key of the authenticator app, they could compute every later code. They read everything that the library returns about the second factor, and the answer to a sign-in.",
  source: "OWASP ASVS 5.0, 6.5.3",
  needs: [],
  async run(open) {
    const app = await open()
    const user = await enrollAlice(app)
    const told = await app.readFactors(user.browser, {
      email: app.alice,
      password: alicePassword,
      code: await user.newCode(),
    })
    if (told === "") throw new Error("There is no answer")
    return decide(told.includes(user.key), "the key is in an answer")
  },
}

const inPlaceOfPasskey: RuleAttack = {
  id: "app-in-place-of-passkey",
  rule: "FAC-11",
  title: "Authenticator app set up in place of a passkey",
  story:
    "Every user must have a second factor. The user has a passkey. The attacker can read the user's mail, signs in with a mailed link, and sets up an authenticator app of their own when the sign-in asks for a second factor.",
  source: "NIST SP 800-63B-4, 4.1.2",
  needs: ["policy", "mailedLink", "passkey"],
  async run(open) {
    const app = await open()
    await required(app.addPasskey)(await signUpAlice(app))
    required(app.demandFactor)()
    const thief = app.newBrowser()
    await required(app.signInByMail)(thief, app.alice)
    await required(app.enrollAtSignIn)(thief)
    return decide((await app.whoIs(thief)) === app.alice, "the attacker's app signs in", "the passkey is asked for")
  },
}

const manySets: RuleAttack = {
  id: "many-sets-of-recovery-codes",
  rule: "FAC-12",
  title: "New codes, ten times at once",
  story:
    "A signed-in user asks for new recovery codes ten times at the same moment. Then one code of each set that was shown is used for a sign-in. Only the codes of one set should work, since the user will keep one list.",
  source: "NIST SP 800-63B-4, 3.1.2.1",
  needs: ["recovery"],
  async run(open) {
    const app = await open()
    const user = await enrollAlice(app)
    const renew = () => required(app.renewCodes)(user.browser, alicePassword)
    const sets = (await Promise.all(Array.from({ length: 10 }, renew))).filter(({ length }) => length > 0)
    if (sets.length === 0) throw new Error("No set was created")
    let working = 0
    for (const [code = ""] of sets) {
      app.pass(1)
      const browser = app.newBrowser()
      await app.signIn(browser, app.alice, alicePassword)
      await required(app.verifyRecoveryCode)(browser, code)
      if ((await app.whoIs(browser)) === app.alice) working += 1
    }
    return decide(working > 1, `${working} sets work`, `${sets.length} shown, ${working} works`)
  },
}

export const factorChangeRules: readonly RuleAttack[] = [
  removedAtOnce,
  removedLater,
  policy,
  copiedDevice,
  staleDevice,
  update,
  readKey,
  inPlaceOfPasskey,
  manySets,
]
