import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasChromium, launchChromium } from "../../../apps/demo/test/chromium.js"
import { readCodeOfPage } from "../test/sessions/code-of-page.js"
import { address, secret } from "../test/sessions/former.js"
import { logInAtProvider, openIdentityProvider } from "../test/sessions/identity-provider.js"
import { createNextApp, type NextApp, readFixture } from "./next-app.js"
import { openWorkos } from "./workos.js"

// Apps with a library that works in Next alone. Visitors sign in, and the app is then moved by hand and deployed on the same port.

const ours: ReadonlyMap<string, string> = new Map([
  ["proxy.ts", 'export { auth as proxy } from "@/auth"\n\nexport const config = { matcher: ["/"] }\n'],
  [
    "app/api/auth/[...nextauth]/route.ts",
    'import { handlers } from "@/auth"\n\nexport const { GET, POST } = handlers\n',
  ],
  [
    "app/page.tsx",
    `import { auth } from "@/auth"

export default async function Home() {
  const session = await auth()
  return <p id="who">{session?.user?.email ?? "nobody"}</p>
}
`,
  ],
])

const authFile = `import NextAuth from "@latchkey/next"
import { accept } from "./accept"

export const { handlers, auth } = NextAuth({ providers: [], session: { accept } })
`

interface Hosted {
  readonly library: string
  readonly fixture: string
  readonly cookie: string
  readonly page: string
  /** Files that our app does not have. */
  readonly removed: readonly string[]
  readonly logIn: (page: Page) => Promise<void>
}

const auth0: Hosted = {
  library: "@auth0/nextjs-auth0",
  fixture: "auth0",
  cookie: "__session",
  page: "auth0",
  removed: ["lib/auth0.ts"],
  logIn: (page) => logInAtProvider(page, address),
}

const workos: Hosted = {
  library: "@workos-inc/authkit-nextjs",
  fixture: "workos",
  cookie: "wos-session",
  page: "workos",
  removed: ["app/auth/callback/route.ts", "app/auth/login/route.ts"],
  logIn: (page) => page.getByRole("link", { name: "Continue" }).click(),
}

/** Starts what stands in for the service. @returns the variables of the app */
async function openService({ fixture }: Hosted, origin: string) {
  if (fixture === "workos") {
    const { port, stop } = await openWorkos()
    const values = {
      WORKOS_API_KEY: "sk_test_a-key",
      WORKOS_CLIENT_ID: "client_1",
      WORKOS_COOKIE_PASSWORD: secret,
      WORKOS_API_HOSTNAME: "localhost",
      WORKOS_API_HTTPS: "false",
      WORKOS_API_PORT: String(port),
      NEXT_PUBLIC_WORKOS_REDIRECT_URI: `${origin}/auth/callback`,
    }
    return { values, environment: {}, stop }
  }
  const tenant = "https://tenant.test"
  const provider = await openIdentityProvider([`${origin}/auth/callback`], { issuer: `${tenant}/` })
  const values = {
    AUTH0_DOMAIN: new URL(tenant).host,
    AUTH0_CLIENT_ID: provider.clientId,
    AUTH0_CLIENT_SECRET: provider.clientSecret,
    AUTH0_SECRET: secret,
    APP_BASE_URL: origin,
  }
  const environment = {
    NODE_OPTIONS: `--import=${new URL("reach-tenant.mjs", import.meta.url)}`,
    TENANT_ORIGIN: tenant,
    TENANT_STAND_IN: provider.origin,
  }
  return { values, environment, stop: provider.stop }
}

describe.skipIf(!hasChromium).each([
  [auth0.library, auth0],
  [workos.library, workos],
])("an app of %s in Next 16", (_name, hosted) => {
  let browser: Browser
  let app: NextApp
  let stop: () => Promise<void>
  let visitors: readonly Page[]
  const theirs = new Map<Page, Awaited<ReturnType<BrowserContext["cookies"]>>>()

  const who = (page: Page) => page.locator("#who").textContent()

  async function signInThere(javaScriptEnabled: boolean): Promise<Page> {
    const page = await (await browser.newContext({ javaScriptEnabled })).newPage()
    await page.goto(`${app.origin}/auth/login`)
    await hosted.logIn(page)
    await page.waitForURL(`${app.origin}/`)
    expect(await who(page)).toBe(address)
    theirs.set(page, await page.context().cookies(app.origin))
    return page
  }

  beforeAll(async () => {
    browser = await launchChromium()
    const files = readFixture(hosted.fixture)
    app = await createNextApp({ version: "16", name: hosted.fixture, files })
    const service = await openService(hosted, app.origin)
    stop = service.stop
    app.setVariables({
      ...service.values,
      AUTH_SECRET: "the secret of our app, 0123456789-abcdef",
      AUTH_URL: app.origin,
    })
    await app.deployFormer(service.environment)
    visitors = [await signInThere(true), await signInThere(false)]
    for (const file of hosted.removed) app.remove(file)
    for (const [file, text] of ours) app.write(file, text)
    app.write("auth.ts", authFile)
    app.write("accept.ts", readCodeOfPage(hosted.page))
    await app.deploy()
  })
  afterAll(async () => {
    await app?.stop()
    await stop?.()
    await browser?.close()
  })

  it.each([0, 1])("keeps the session on the first page, and ends it with the sign-out (visitor %s)", async (index) => {
    const page = visitors[index] ?? expect.fail()
    const cookies = theirs.get(page) ?? []
    expect(cookies.map(({ name }) => name)).toContain(hosted.cookie)
    const header = cookies.map(({ name, value }) => `${name}=${value}`).join("; ")
    const ask = async (path: string) => (await fetch(app.origin + path, { headers: { cookie: header } })).text()
    for (const text of await Promise.all(["/", "/api/auth/session", "/", "/", "/"].map(ask)))
      expect(text).toContain(address)

    await page.goto(app.origin)
    expect(await who(page)).toBe(address)
    const names = (await page.context().cookies(app.origin)).map(({ name }) => name)
    expect(names).toContain("authjs.session-token")
    expect(names).not.toContain(hosted.cookie)
    await page.goto(`${app.origin}/api/auth/signout?callbackUrl=/`)
    await page.locator("form button[type=submit]").click()
    await page.waitForURL(`${app.origin}/`)
    expect(await who(page)).toBe("nobody")
    await page.context().addCookies(cookies)
    await page.goto(app.origin)
    expect(await who(page)).toBe("nobody")
  })
})
