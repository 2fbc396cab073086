import { type Browser, createBrowser, overHttp } from "@latchkey/testkit"
import type { Surroundings } from "./surroundings.ts"

export type Way = "provider" | "mail" | "password"

/** The results of a visitor. */
export interface Visitor {
  readonly browser: Browser
  readonly email: string
  readonly isIn: boolean
  /** The number of new starts after a lost response. */
  readonly startedOver: number
  /** The codes and links that signed them in. */
  readonly spent: number
  /** How many of those signed in more than once. */
  readonly spentTwice: number
}

export interface Town {
  readonly origin: string
  readonly surroundings: Surroundings
}

/** A request with a one-time value, and how often it signed in. */
interface Spending {
  readonly url: string
  readonly cookie: string
  times: number
}

const mostTries = 6

export const password = "analytical engine"

/** Signs a visitor in, with as many attempts as needed, and then replays the request that succeeded. */
export async function visit(town: Town, name: string, way: Way): Promise<Visitor> {
  const email = `${name}@corp.test`
  const spendings = new Map<string, Spending>()
  const browser = createBrowser({
    origin: town.origin,
    network: { [town.surroundings.issuer]: overHttp },
    handler: (request) => watch(request, spendings),
  })
  let tries = 0
  let isIn = false
  while (!isIn && tries < mostTries) {
    // A lost response is an error page or a network error. Visitors try again.
    await ways[way]({ town, browser, name, email }).catch(() => undefined)
    isIn = (await read(() => browser.session()))?.user?.email === email
    tries += 1
  }
  const spent = [...spendings.values()].filter(({ times }) => times > 0)
  await Promise.all(spent.map(bringAgain))
  const spentTwice = spent.filter(({ times }) => times > 1).length
  return { browser, email, isIn, startedOver: tries - 1, spent: spent.length, spentTwice }
}

/** The request as an attacker with the URL and the cookies would send it. */
async function watch(request: Request, spendings: Map<string, Spending>): Promise<Response> {
  const response = await overHttp(request)
  const isSpending = request.method === "GET" && new URL(request.url).pathname.startsWith("/auth/callback/")
  if (!isSpending) return response
  const cookie = request.headers.get("cookie") ?? ""
  const spending = spendings.get(request.url) ?? { url: request.url, cookie, times: 0 }
  spendings.set(request.url, spending)
  if (letsIn(response)) spending.times += 1
  return response
}

/** Twice, to reach both remaining processes. */
async function bringAgain(spending: Spending): Promise<void> {
  const { url, cookie } = spending
  for (let times = 0; times < 2; times++) {
    const response = await read(() => fetch(url, { headers: { cookie }, redirect: "manual" }))
    if (letsIn(response)) spending.times += 1
  }
}

function letsIn(response: Response): boolean {
  return response.headers.getSetCookie().some((text) => /session-token=[^;]/.test(text))
}

interface Trip {
  readonly town: Town
  readonly browser: Browser
  readonly name: string
  readonly email: string
}

const ways: Readonly<Record<Way, (trip: Trip) => Promise<unknown>>> = {
  provider: ({ browser, name }) => browser.signIn("oidc", { callbackUrl: "/" }, { login_hint: name }),
  password: ({ browser, email }) => browser.signIn("credentials", { email, password, callbackUrl: "/" }),
  /** Opens the link in two tabs at the same time. */
  async mail({ town, browser, email }) {
    await browser.signIn("email", { email, callbackUrl: "/" })
    const link = town.surroundings.linkTo(email)
    if (link === undefined) throw new Error("No email arrived")
    await Promise.all([browser, browser.newTab()].map((tab) => tab.open(link)))
  },
}

/** Repeats a request whose response was lost. */
export async function read<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; tries < mostTries; tries++) {
    try {
      return await ask()
    } catch {
      // The process is gone; another one responds.
    }
  }
  return await ask()
}
