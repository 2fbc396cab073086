// Hostile requests, and everyday ones that fail in some libraries.
import { origin } from "./app.ts"
import { type Attack, decide } from "./attack.ts"

const addresses = [
  "https://evil.test/",
  "//evil.test/",
  "/\\evil.test/",
  "/\t/evil.test/",
  `${origin}@evil.test/`,
  `${origin}.evil.test/`,
  "/%2f%2fevil.test/..//evil.test",
  "javascript:alert(1)",
]

const openRedirect: Attack = {
  id: "open-redirect",
  group: "Requests",
  title: "Open redirect",
  story: `A sign-in is completed with each of ${addresses.length} addresses, such as \`//evil.test/\` and \`/\\evil.test/\`.`,
  source: "CWE-601",
  needs: ["provider"],
  async run(open) {
    const passed: string[] = []
    for (const address of addresses) {
      const app = await open()
      const page = await app.signIn(app.newBrowser(), app.alice, address).catch(() => null)
      if (page !== null && page.url.origin !== origin) passed.push(address)
    }
    return decide(passed.length > 0, `follows ${passed.join(", ")}`)
  },
}

const largeBody: Attack = {
  id: "large-body",
  group: "Requests",
  title: "Request of 60 MB",
  story:
    "An anonymous visitor posts 60 MB to the sign-in form. Sent in chunks, without a length. A safe app stops reading; a proxy in front may do it for the others.",
  source: "CWE-770",
  needs: ["forms"],
  async run(open) {
    const app = await open()
    let sent = 0
    const body = new ReadableStream({
      pull(controller) {
        sent += 65_536
        controller.enqueue(new Uint8Array(65_536).fill(97))
        if (sent >= 60 * 1024 * 1024) controller.close()
      },
    })
    const headers = { "content-type": "application/x-www-form-urlencoded", origin, "x-forwarded-for": "203.0.113.9" }
    await app.handle(
      new Request(origin + app.openPath, { method: "POST", headers, body, duplex: "half" } as RequestInit),
    )
    const megabytes = sent / 1024 / 1024
    return decide(megabytes > 30, `reads ${megabytes.toFixed(0)} MB`, `stops after ${megabytes.toFixed(1)} MB`)
  },
}

const largeSession: Attack = {
  id: "large-session",
  group: "Everyday",
  title: "Session of 6 kB",
  story: "A stateless session. The user has a picture with a long address. Browsers refuse cookies over 4 kB.",
  source: "RFC 6265, section 6.1",
  needs: [],
  async run(open) {
    const app = await open({ session: "stateless", picture: "https://img.test/".padEnd(6000, "x") })
    const isIn = await app.signInAlice(app.newBrowser()).then(
      () => true,
      () => false,
    )
    return decide(!isIn, "the sign-in fails", "signed in")
  },
}

const twoTabs: Attack = {
  id: "two-tabs",
  group: "Everyday",
  title: "Sign-in in two tabs at once",
  story: "Both begin before one of them finishes, for example after a restart of the browser with both tabs open.",
  source: "growthbook/growthbook, issue 6753: about a tenth of the failing callbacks",
  needs: ["provider"],
  async run(open) {
    const app = await open()
    const browser = app.newBrowser()
    const first = await app.authorize(await app.startSignIn(browser, `${origin}/first`), app.alice)
    const second = await app.authorize(await app.startSignIn(browser, `${origin}/second`), app.alice)
    const pages = [
      await browser.open(first, { from: app.idp.origin }),
      await browser.open(second, { from: app.idp.origin }),
    ]
    const paths = pages.map(({ url }) => url.pathname)
    return decide(paths.join() !== "/first,/second", `the tabs end at ${paths.join(" and ")}`, "both arrive")
  },
}

export const requestAttacks: readonly Attack[] = [openRedirect, largeBody, largeSession, twoTabs]
