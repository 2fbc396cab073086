// Attacks of the rules PASS-01, PASS-02, PASS-05 to PASS-07 and PASS-10, on sign-ups, sign-ins and stored passwords.
import { decide, refused } from "../attack.ts"
import { alicePassword, malloryPassword, signInAsAlice, signUp, signUpAlice } from "./app.ts"
import type { RuleAttack } from "./rule.ts"

const wrongPassword = "nine herons by the mill"

const preparedAccount: RuleAttack = {
  id: "prepared-account",
  rule: "PASS-01",
  title: "Account prepared by an attacker",
  story:
    "The attacker signs up with the victim's address and a password of their own. The victim opens the link of the mail. Then the attacker signs in with their password.",
  source: "Sudhodanan and Paverd: Pre-hijacked accounts (USENIX Security 2022)",
  needs: [],
  async run(open) {
    const app = await open()
    await signUp(app, app.mallory, malloryPassword)
    await app.signUp(app.newBrowser(), app.alice, malloryPassword)
    await app.openSignUpLink(app.newBrowser(), (await app.lastMail(app.alice)).link, alicePassword)
    return decide(await signInAsAlice(app, malloryPassword), "the attacker is in the victim's account")
  },
}

/** What an attacker can compare in a response: the status, the headers and the shape of the body. */
async function describe(response: Response): Promise<string> {
  const shape = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value === null ? null : typeof value
    return Object.entries(value).map(([name, each]) => [name, shape(each)])
  }
  // The last part of a name can be random.
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split("=")[0]?.replace(/\.[^.]*$/, ""))
  const text = await response.text()
  const body = text.startsWith("{") ? shape(JSON.parse(text)) : text.length > 0
  return JSON.stringify([response.status, [...new Set(response.headers.keys())].sort(), cookies, body])
}

const differentAnswers: RuleAttack = {
  id: "different-answers",
  rule: "PASS-02",
  title: "Answers that reveal who has an account",
  story:
    "The attacker signs in with a wrong password, signs up, and asks for a reset: once with the address of a user and once with an unknown one. They compare the status, the headers and the shape of the body.",
  source: "OWASP ASVS 5.0, 6.3.8",
  needs: [],
  async run(open) {
    const app = await open()
    await signUpAlice(app)
    const ways = {
      "sign-in": (email: string) => app.signIn(app.newBrowser(), email, wrongPassword),
      "sign-up": (email: string) => app.signUp(app.newBrowser(), email, wrongPassword),
      reset: (email: string) => app.forgot(app.newBrowser(), email),
    }
    const telling: string[] = []
    for (const [name, way] of Object.entries(ways))
      if ((await describe(await way(app.alice))) !== (await describe(await way(app.mallory)))) telling.push(name)
    return decide(
      telling.length > 0,
      `${telling.join(" and ")} differ${telling.length > 1 ? "" : "s"}`,
      "all are equal",
    )
  },
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const differentTimes: RuleAttack = {
  id: "different-times",
  rule: "PASS-02",
  title: "Response times that reveal who has an account",
  story:
    "The attacker signs in with a wrong password eleven times, alternating between the address of a user and an unknown one, and compares the medians.",
  source: "OWASP ASVS 5.0, 6.3.8",
  needs: [],
  async run(open) {
    const app = await open()
    await signUpAlice(app)
    const times: Record<string, number[]> = { [app.alice]: [], [app.mallory]: [] }
    for (let pair = 0; pair < 11; pair++)
      for (const [email, list] of Object.entries(times)) {
        const browser = app.newBrowser()
        const start = performance.now()
        await app.signIn(browser, email, wrongPassword)
        list.push(performance.now() - start)
      }
    const [known = 0, unknown = 0] = Object.values(times).map(median)
    const ratio = Math.max(known, unknown) / Math.min(known, unknown)
    return decide(
      ratio > 2,
      known > unknown ? "an unknown address is faster" : "a known address is faster",
      "no difference",
    )
  },
}

const differentCalls: RuleAttack = {
  id: "different-calls",
  rule: "PASS-02",
  title: "Database calls that reveal who has an account",
  story:
    "The attacker signs up and asks for a reset, three times each with the address of a user and with unknown ones. Each call of the database takes time, which can be measured over many requests. The attack succeeds if all counts for the one differ from all for the other in the same direction.",
  source: "OWASP ASVS 5.0, 6.3.8",
  needs: [],
  async run(open) {
    const app = await open()
    await signUpAlice(app)
    const count = async (way: () => Promise<unknown>) => {
      // No mail is held back because there was another one a moment ago.
      app.pass(61)
      const before = app.countCalls()
      await way()
      await new Promise((resolve) => setTimeout(resolve, 300))
      return app.countCalls() - before
    }
    const ways = {
      reset: (email: string) => app.forgot(app.newBrowser(), email),
      "sign-up": (email: string) => app.signUp(app.newBrowser(), email, malloryPassword),
    }
    const telling: string[] = []
    for (const [name, way] of Object.entries(ways)) {
      const [known, unknown]: [number[], number[]] = [[], []]
      for (const round of [0, 1, 2, 3]) {
        const counts = [await count(() => way(app.alice)), await count(() => way(`${round}-${app.mallory}`))] as const
        // What is loaded or prepared once does not count.
        if (round === 0) continue
        known.push(counts[0])
        unknown.push(counts[1])
      }
      const isTold = Math.min(...known) > Math.max(...unknown) || Math.min(...unknown) > Math.max(...known)
      if (isTold)
        telling.push(`${name}: ${median(known)} calls for a known address, ${median(unknown)} for an unknown one`)
    }
    return decide(telling.length > 0, telling.join("; "), "the same number of calls")
  },
}

const longPassword: RuleAttack = {
  id: "long-password",
  rule: "PASS-05",
  title: "Password of ten megabytes",
  story:
    "The attacker sends a password of ten megabytes in a sign-up and in a sign-in. Both should be refused because of the size (400 or 413), before anything is hashed.",
  source: "OWASP Password Storage Cheat Sheet",
  needs: [],
  async run(open) {
    const app = await open()
    await signUpAlice(app)
    const long = "long".repeat(2_500_000)
    const signedUp = await app.signUp(app.newBrowser(), app.mallory, long)
    const signedIn = await app.signIn(app.newBrowser(), app.alice, long)
    const hashed = Object.entries({ "sign-up": signedUp, "sign-in": signedIn }).filter(
      ([, { status }]) => status !== 400 && status !== 413,
    )
    return decide(hashed.length > 0, `accepted at the ${hashed.map(([name]) => name).join(" and the ")}`)
  },
}

const burst: RuleAttack = {
  id: "burst-of-sign-ins",
  rule: "PASS-05",
  title: "Forty sign-ins at once",
  story:
    "Forty sign-ins with wrong passwords arrive at the same time, from forty networks. Meanwhile a signed-in user opens a page that checks the session. A wait of more than a second counts as a success of the attack.",
  source: "OWASP Password Storage Cheat Sheet",
  needs: [],
  async run(open) {
    const app = await open()
    const user = await signUpAlice(app)
    const emails = Array.from({ length: 40 }, (_, n) => (n % 2 ? app.alice : app.mallory))
    const signIns = emails.map((email) => app.signIn(app.newBrowser(), email, wrongPassword).catch(() => null))
    // The sign-ins have reached their hashes.
    await new Promise((resolve) => setTimeout(resolve, 50))
    const start = performance.now()
    const found = await app.whoIs(user)
    const waited = performance.now() - start
    await Promise.all(signIns)
    return decide(found !== app.alice || waited > 1000, "the user waits for seconds", "the user is served")
  },
}

const cutPassword: RuleAttack = {
  id: "cut-password",
  rule: "PASS-06",
  title: "Password whose end is ignored",
  story:
    "A user has a passphrase that begins with a well-known quotation of more than 72 characters. The attacker knows the quotation, but not what follows. bcrypt reads only the first 72 bytes.",
  source: "OWASP Password Storage Cheat Sheet, input limits of bcrypt",
  needs: [],
  async run(open) {
    const app = await open()
    const known = "it was the best of times, it was the worst of times, it was the age of wisdom"
    await signUp(app, app.alice, `${known} seventeen`)
    const attacker = app.newBrowser()
    await app.signIn(attacker, app.alice, `${known} foolishness`)
    return decide((await app.whoIs(attacker)) === app.alice, "any end is accepted")
  },
}

const stolenStore: RuleAttack = {
  id: "stolen-store",
  rule: "PASS-07",
  title: "Guesses with a stolen database",
  story:
    "The attacker has a copy of the database, but not the secrets of the app, and tries common passwords on their own machine. One of them is right. If the hash depends on a secret (a pepper), no guess can be checked.",
  source: "OWASP Password Storage Cheat Sheet, peppering",
  needs: [],
  async run(open) {
    const app = await open()
    await signUpAlice(app)
    const hash = await app.stolenHash(app.alice)
    if (hash.length < 20) throw new Error("There is no hash")
    return decide(await app.guess(hash, alicePassword), "the right guess is confirmed", "no guess can be checked")
  },
}

const stuffing: RuleAttack = {
  id: "guesses-at-one-account",
  rule: "PASS-10",
  title: "Thirty passwords from a stolen list",
  story:
    "The attacker tries thirty wrong passwords for one account from one network, one every twelve seconds, and then the right one.",
  source: "OWASP ASVS 5.0, 6.3.1",
  needs: [],
  async run(open) {
    const app = await open()
    await signUpAlice(app)
    const network = app.newNetwork()
    const attacker = app.newBrowser({ network })
    for (let guess = 0; guess < 30; guess++) {
      app.pass(0.2)
      await app.signIn(attacker, app.alice, `${guess} wrong words in a row`)
    }
    app.pass(0.2)
    await app.signIn(attacker, app.alice, alicePassword)
    return decide((await app.whoIs(attacker)) === app.alice, "30 guesses pass", "the guesses are limited")
  },
}

/** Invisible letters, which URL parsers drop from a domain. */
const fillers = ["\u115f", "\u1160", "\u3164", "\uffa0"]

const spellings: Readonly<Record<string, (email: string, number: number) => string>> = {
  "other letter case": (email, number) =>
    [...email].map((letter, n) => ((number >> n) & 1 ? letter.toUpperCase() : letter)).join(""),
  "letters that nobody sees": (email, number) => {
    const position = email.indexOf("@") + 2 + Math.floor(number / fillers.length)
    return `${email.slice(0, position)}${fillers[number % fillers.length]}${email.slice(position)}`
  },
}

const spelledGuesses: RuleAttack = {
  id: "guesses-by-spellings",
  rule: "PASS-10",
  title: "Thirty passwords by thirty spellings of one address",
  story:
    "The attacker tries thirty wrong passwords for one account, one every twelve seconds, and then the right one. Each time the address is spelled in another way: with other letter case, or with letters in the domain that nobody sees and that URL parsers drop. The attack is refused if such a spelling is another name for the library.",
  source: "OWASP ASVS 5.0, 6.3.1",
  needs: [],
  async run(open) {
    const passed: string[] = []
    for (const [name, spell] of Object.entries(spellings)) {
      const app = await open()
      await signUpAlice(app)
      const attacker = app.newBrowser()
      for (let guess = 1; guess <= 30; guess++) {
        app.pass(0.2)
        await app.signIn(attacker, spell(app.alice, guess), `${guess} wrong words in a row`)
      }
      app.pass(0.2)
      await app.signIn(attacker, spell(app.alice, 31), alicePassword)
      if ((await app.whoIs(attacker)) === app.alice) passed.push(name)
    }
    return decide(passed.length > 0, `30 guesses pass with ${passed.join(", and with ")}`)
  },
}

const unnoticed: RuleAttack = {
  id: "unnoticed-success",
  rule: "PASS-10",
  title: "Success after many failures, unnoticed",
  story:
    "After twelve wrong passwords from twelve networks, the attacker finds the right one. The user should be told.",
  source: "OWASP ASVS 5.0, 6.3.5",
  needs: [],
  async run(open) {
    const app = await open()
    await signUpAlice(app)
    for (let guess = 0; guess < 12; guess++)
      await app.signIn(app.newBrowser(), app.alice, `${guess} wrong words in a row`)
    const before = app.mails.length
    if (!(await signInAsAlice(app))) return refused("the sign-in is refused")
    await new Promise((resolve) => setTimeout(resolve, 100))
    return decide(app.mails.length === before, "the user is not told", "the user gets a mail")
  },
}

export const passwordRules: readonly RuleAttack[] = [
  preparedAccount,
  differentAnswers,
  differentTimes,
  differentCalls,
  longPassword,
  burst,
  cutPassword,
  stolenStore,
  stuffing,
  spelledGuesses,
  unnoticed,
]
