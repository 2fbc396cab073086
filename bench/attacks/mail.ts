// Attacks on sign-in links in mails.
import { copyCookies, type Scene } from "./app.ts"
import { type Attack, decide, type OpenScene } from "./attack.ts"

/** An app in which a mailed link has signed someone in, so that a mistake of ours does not look like a refusal. */
async function openHonest(open: OpenScene): Promise<Scene> {
  const app = await open()
  const browser = app.newBrowser()
  await browser.open(await app.mailLink(browser, app.mallory.email))
  if ((await app.whoIs(browser)) === null) throw new Error("A link does not sign in where it was asked for")
  return app
}

const scannerSession: Attack = {
  id: "scanner-session",
  group: "Mailed links",
  title: "Mail scanner gets the session",
  story: "Scanners of mail services fetch every link, with GET and without the cookies of the user.",
  source: "OWASP ASVS 5.0, 6.6",
  needs: ["mail"],
  async run(open) {
    const app = await openHonest(open)
    const link = await app.mailLink(app.newBrowser(), app.alice.email)
    const scanner = app.newBrowser()
    await scanner.open(link)
    return decide((await app.whoIs(scanner)) !== null, "the scanner is signed in")
  },
}

const scannerSpends: Attack = {
  id: "scanner-spends",
  group: "Mailed links",
  title: "Mail scanner uses up the link",
  story:
    "A mail scanner fetches the link first. The user then opens the link in the browser that asked for it, and presses the button if the page has one.",
  source: "OWASP ASVS 5.0, 6.6",
  needs: ["mail"],
  async run(open) {
    const app = await openHonest(open)
    const browser = app.newBrowser()
    const link = await app.mailLink(browser, app.alice.email)
    await app.newBrowser().open(link)
    const page = await browser.open(link)
    if ((await app.whoIs(browser)) === null && page.find("form[method='post' i]")) await browser.submit("form")
    return decide((await app.whoIs(browser)) === null, "the link is used up")
  },
}

const twice: Attack = {
  id: "link-twice",
  group: "Mailed links",
  title: "One link, ten requests at once",
  story: "A link is good for one session. A check that is separate from the deletion gives more.",
  source: "CWE-367",
  needs: ["mail"],
  async run(open) {
    const app = await openHonest(open)
    const browser = app.newBrowser()
    const link = await app.mailLink(browser, app.alice.email)
    const others = Array.from({ length: 10 }, () => {
      const other = app.newBrowser()
      copyCookies(browser, other)
      return other
    })
    await Promise.all(others.map((other) => other.open(link)))
    const signedIn = (await Promise.all(others.map((other) => app.whoIs(other)))).filter((user) => user !== null)
    return decide(signedIn.length > 1, `${signedIn.length} sessions`)
  },
}

const forgedHost: Attack = {
  id: "forged-host",
  group: "Mailed links",
  title: "Forged host in a mailed link",
  story:
    "The attacker requests a mail to the victim with a forged `Host`, so that the link leads to the attacker's site. A server passes the host of the request on in its URL, unless something in front of it refuses unknown hosts. The victim's click hands the token to the attacker.",
  source: "CWE-640",
  needs: ["mail"],
  async run(open) {
    const app = await openHonest(open)
    const attacker = app.newBrowser({ origin: "https://evil.test" })
    const link = await app.mailLink(attacker, app.alice.email).catch(() => null)
    return decide(link?.host === "evil.test", `the link leads to ${link?.host}`)
  },
}

export const mailAttacks: readonly Attack[] = [scannerSession, scannerSpends, twice, forgedHost]
