// Attacks on passwords, second factors and limits.
import { alicePassword, copyCookies, type Scene } from "./app.ts"
import { type Attack, decide } from "./attack.ts"

const guesses = 30

const forgedAddress: Attack = {
  id: "forged-address",
  group: "Passwords and second factors",
  title: "Guesses with forged addresses",
  story:
    "One client tries 30 wrong passwords for one account, with another `X-Forwarded-For` on each, and then the right one. The app stands behind one proxy that appends the address of the sender, as nginx does. Every library is configured for that proxy.",
  source: "OWASP ASVS 5.0, 6.3.1",
  needs: ["password", "limits"],
  async run(open) {
    const app = await open({ session: "stateless", hasPassword: true })
    const attacker = app.newBrowser()
    const send = attacker.fetch
    let address = 0
    const forging = { ...attacker, cookies: attacker.cookies, fetch: forge }
    function forge(...[path, options]: Parameters<typeof send>): ReturnType<typeof send> {
      address += 1
      const headers = { ...options?.headers, "x-forwarded-for": `203.0.113.${address % 250}` }
      return send(path, { ...options, headers })
    }
    for (let guess = 0; guess < guesses; guess++)
      await app.signInWithPassword(forging, app.alice.email, `wrong ${guess}`)
    const isIn = await app.signInWithPassword(forging, app.alice.email, alicePassword)
    return decide(isIn, `${guesses} guesses pass`, "the guesses are limited")
  },
}

/** 120 wrong guesses, each from another network. */
async function guessFromManyNetworks(app: Scene): Promise<void> {
  for (let guess = 0; guess < 120; guess++)
    await app.signInWithPassword(app.newBrowser(), app.alice.email, `wrong ${guess}`)
}

const manyNetworks: Attack = {
  id: "many-networks",
  group: "Passwords and second factors",
  title: "Guesses from 120 networks",
  story:
    "120 wrong passwords for one account, each from another network, and then the right one. Computers for that can be rented. Only a budget for the account itself ends it.",
  source: "OWASP ASVS 5.0, 6.3.1",
  needs: ["password", "limits"],
  async run(open) {
    const app = await open({ session: "stateless", hasPassword: true })
    await guessFromManyNetworks(app)
    const isIn = await app.signInWithPassword(app.newBrowser(), app.alice.email, alicePassword)
    return decide(isIn, "120 guesses pass", "the guesses are limited")
  },
}

const lockOut: Attack = {
  id: "lock-out",
  group: "Passwords and second factors",
  title: "Guesses that lock the owner out",
  story:
    "The other side of such a budget: the attacker uses it up with the same guesses. Then the owner signs in from a network where they signed in before.",
  source: "OWASP Authentication Cheat Sheet, account lockout",
  needs: ["password", "limits"],
  async run(open) {
    const app = await open({ session: "stateless", hasPassword: true })
    const owner = app.newBrowser()
    if (!(await app.signInWithPassword(owner, app.alice.email, alicePassword)))
      throw new Error("The owner cannot sign in")
    await app.signOut(owner)
    await guessFromManyNetworks(app)
    const isIn = await app.signInWithPassword(owner, app.alice.email, alicePassword)
    return decide(!isIn, "the owner is locked out", "the owner gets in")
  },
}

const replayedCode: Attack = {
  id: "replayed-totp",
  group: "Passwords and second factors",
  title: "One-time code used twice",
  story:
    "The attacker knows the password and looks over the victim's shoulder. The code is valid for 30 seconds, but for one sign-in only.",
  source: "RFC 6238, section 5.2",
  needs: ["totp"],
  async run(open) {
    const app = await open({ hasPassword: true })
    if (app.totp === undefined) throw new Error("The app has no second factor")
    const [victim, attacker] = [app.newBrowser(), app.newBrowser()]
    await app.signInWithPassword(victim, app.alice.email, alicePassword)
    const code = await app.totp.enroll(victim, alicePassword)
    await app.signOut(victim)
    await app.signInWithPassword(victim, app.alice.email, alicePassword)
    const observed = await code()
    if (!(await app.totp.verify(victim, observed))) throw new Error("The victim's own code is refused")
    await app.signInWithPassword(attacker, app.alice.email, alicePassword)
    return decide(await app.totp.verify(attacker, observed), "the code works again")
  },
}

const parallelRefresh: Attack = {
  id: "parallel-refresh",
  group: "Everyday",
  title: "Five token refreshes at once",
  story: "The provider replaces the refresh token with each use. Two refreshes with the same one end the grant.",
  source: "RFC 9700, section 4.14",
  needs: ["refresh"],
  async run(open) {
    const app = await open()
    app.idp.faults.turnOn({ tokens: (tokens) => ({ ...tokens, expires_in: 1 }) })
    const browser = app.newBrowser()
    await app.signIn(browser, app.alice)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    const tabs = Array.from({ length: 5 }, () => {
      const tab = app.newBrowser()
      copyCookies(browser, tab)
      return tab
    })
    if (!(await app.refresh?.(browser))) throw new Error("A single refresh fails")
    await new Promise((resolve) => setTimeout(resolve, 1100))
    const answers = await Promise.all(tabs.map((tab) => app.refresh?.(tab)))
    const failed = answers.filter((isFresh) => isFresh !== true).length
    return decide(failed > 0, `${failed} of 5 requests fail`, "all get a token")
  },
}

const refreshAtInstances: Attack = {
  id: "refresh-at-instances",
  group: "Everyday",
  title: "Fifty requests at each of three instances while a token is due",
  story:
    "The app runs three times on one database. The provider replaces the refresh token with each use, so it may be used once, however many requests need an access token.",
  source: "RFC 9700, section 4.14",
  needs: ["refresh"],
  async run(open) {
    const app = await open()
    app.idp.faults.turnOn({ tokens: (tokens) => ({ ...tokens, expires_in: 1 }) })
    const browser = app.newBrowser()
    await app.signIn(browser, app.alice)
    if (!(await app.refresh?.(browser))) throw new Error("A single refresh fails")
    app.idp.faults.clear()
    await new Promise((resolve) => setTimeout(resolve, 1100))
    const isRefresh = ({ params }: { readonly params: URLSearchParams }) => params.get("grant_type") === "refresh_token"
    const before = app.idp.requests.token.filter(isRefresh).length
    const asked = [0, 1, 2].flatMap((instance) =>
      Array.from({ length: 50 }, () => {
        const tab = app.newBrowser()
        copyCookies(browser, tab)
        return app.refresh?.(tab, instance)
      }),
    )
    const failed = (await Promise.all(asked)).filter((isFresh) => isFresh !== true).length
    const refreshes = app.idp.requests.token.filter(isRefresh).length - before
    const detail = `${refreshes} ${refreshes === 1 ? "refresh" : "refreshes"}, ${failed} of 150 requests fail`
    return decide(failed > 0 || refreshes > 1, detail, detail)
  },
}

export const passwordAttacks: readonly Attack[] = [
  forgedAddress,
  manyNetworks,
  lockOut,
  replayedCode,
  parallelRefresh,
  refreshAtInstances,
]
