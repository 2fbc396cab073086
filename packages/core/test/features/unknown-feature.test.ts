import { readdirSync, readFileSync } from "node:fs"
import { accountArea } from "@latchkey/core/account-area"
import type { AuthConfig } from "@latchkey/core/types"
import { type authenticatorApp, type Browser, fixedClock, type TestHost } from "@latchkey/testkit"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { getService } from "../../src/auth.js"
import { sealedCookie } from "../../src/checks/sealed-cookie.js"
import { FreshnessRequired, InvalidConfiguration } from "../../src/errors/errors.js"
import type { ActionContext, Feature, ShownLine } from "../../src/features/feature.js"
import { isFresh } from "../../src/features/freshness.js"
import { toFrame, toPage } from "../../src/features/page.js"
import { guarded, limited } from "../../src/features/route.js"
import { featureFrame } from "../../src/features/slots.js"
import { askToSignIn, openVisit } from "../../src/features/visit.js"
import { ownCookies, type SealedOwnCookie } from "../../src/http/own-cookies.js"
import { type AuthRequest, findField } from "../../src/http/request.js"
import { json, type Reply, redirect } from "../../src/http/response.js"
import {
  consumeSecret,
  createMailPurpose,
  createMailTools,
  mailSecret,
  takeSecret,
} from "../../src/mail/mailed-secret.js"
import { translateFrom } from "../../src/messages/translate.js"
import { credentialsMethod } from "../../src/methods/credentials/credentials.js"
import { createTranslator, type PageFrame, renderDocument } from "../../src/pages/document.js"
import type { AdapterUser } from "../../src/types/adapter.js"
import { signInMethod } from "../../src/types/basics.js"
import type { CredentialsConfig } from "../../src/types/providers.js"
import { post } from "../setup/requests.js"
import { openFactors } from "../setup/second-factor-setup.js"

// A feature that the core does not know: users collect a stamp for each visit to a desk. All of it is in this file.

const address = "ada@example.com"

/** The messages. */
const stampMessages = { title: "Your stamps", count: "You have {count} stamps." } as const

/** The emails. */
const purpose = createMailPurpose("stamps", "collect")

/** The cookie. */
const cookie: SealedOwnCookie = { name: "authjs.stamp", prefix: "__Host-", seconds: 60, seal: "stamp:desk" }

/** The store, a property of the adapter. */
interface StampStore {
  add(userId: string): Promise<void>
  count(userId: string): Promise<number>
  drop(userId: string): Promise<void>
}

function memoryStamps(): StampStore {
  const counts = new Map<string, number>()
  return {
    async add(userId) {
      if (userId === "u-broken") throw new Error(`The desk is closed for ${address}`)
      counts.set(userId, (counts.get(userId) ?? 0) + 1)
    },
    count: async (userId) => counts.get(userId) ?? 0,
    drop: async (userId) => void counts.delete(userId),
  }
}

const findStamps = ({ store }: ActionContext) => store?.findStore<StampStore>("stamps")

const openCookie = ({ cookieRules, secrets }: ActionContext) =>
  sealedCookie<{ desk: string }>(cookie, { ...cookieRules, secrets })

interface StampOptions {
  /** Whether the desk lets users in. It may close while a sign-in waits. */
  isOpen: boolean
  readonly mails: string[]
}

function stamps(options: StampOptions): Feature {
  const asked: string[] = []
  return {
    feature: "stamps",
    frame: featureFrame,
    own: { asked },
    validate: ({ adapter }) =>
      adapter && "stamps" in adapter ? null : new InvalidConfiguration("stamps: the adapter has no store `stamps`"),
    routes: {
      stamps: { GET: showStamps, POST: guarded(limited("signIn", mailStamp(options))) },
      "stamps/collect": { GET: collectStamp },
      "account/stamps": { GET: showInArea, POST: guarded(limited("callback", dropStamps)) },
    },
    accountLines: [{ name: "stamps", show: showLine }],
    async vetSignIn({ signedIn }, request, context) {
      asked.push(signedIn.achieved.join(" "))
      return options.isOpen ? null : redirect(context.actionUrl(request, "stamps"))
    },
    async onSessionStart(_, __, ___, context) {
      return { cookies: [await openCookie(context).write({ desk: "front" })], headers: { "x-stamps": "welcome" } }
    },
    findProvider: (id) =>
      id === "desk-7" ? { id, name: "Desk 7", type: "credentials", authorize: atDesk } : undefined,
  }
}

const atDesk = () => ({ id: "u-ada", email: address, name: "Desk" })

async function showStamps(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const user = await context.sessions.findUser(request.cookies)
  const count = user ? await findStamps(context)?.count(user.id) : 0
  const [kept] = await openCookie(context).read(request.cookies)
  if (!request.headers.get("accept")?.includes("text/html")) return json({ count, desk: kept?.desk })
  const frame = await toFrame(request, context)
  const translate = translateFrom(stampMessages, "stamps.", frame.locale)
  const title = translate("title")
  return toPage(
    renderDocument({ title, frame, t: createTranslator(frame), children: translate("count", { count: count ?? 0 }) }),
    context,
  )
}

/** The line on the overview of the account area. */
async function showLine({ id }: AdapterUser, context: ActionContext): Promise<ShownLine> {
  const count = (await findStamps(context)?.count(id)) ?? 0
  const translate = ({ locale }: PageFrame) => translateFrom(stampMessages, "stamps.", locale)
  return {
    json: { count },
    title: (frame) => translate(frame)("title"),
    summarize: (frame) => translate(frame)("count", { count }),
  }
}

/** The page that it leads to. */
async function showInArea(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const visit = await openVisit(request, context)
  return visit ? showStamps(request, context) : askToSignIn(request, context, undefined)
}

/** A change, for which users must have re-authenticated recently. */
async function dropStamps(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const visit = await openVisit(request, context)
  if (!visit) return askToSignIn(request, context, undefined)
  if (!(await isFresh(request, context))) throw new FreshnessRequired("The user must re-authenticate to drop stamps")
  await findStamps(context)?.drop(visit.userId)
  return json({ count: 0 })
}

const toVisit = (request: AuthRequest, context: ActionContext) => {
  if (!context.store) throw new InvalidConfiguration("stamps: needs an adapter")
  return { request, context, tools: createMailTools(context.store, context) }
}

const mailStamp =
  ({ mails }: StampOptions) =>
  async (request: AuthRequest, context: ActionContext): Promise<Reply> => {
    const cookies = await mailSecret(
      {
        purpose,
        address: findField(request, "email") ?? "",
        state: "open",
        url: context.actionUrl(request, "stamps/collect"),
        target: "/",
        send: async ({ url }) => mails.push(url),
      },
      toVisit(request, context),
    )
    return json({ sent: true }, { cookies })
  }

async function collectStamp(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const visit = toVisit(request, context)
  const secret = await takeSecret(purpose, async () => "open", visit)
  await consumeSecret(secret, purpose, "open", visit)
  await secret.succeed()
  const user = await context.store?.getUserByEmail(secret.address)
  if (user) await findStamps(context)?.add(user.id)
  return redirect(context.actionUrl(request, "stamps"))
}

interface StampHost {
  readonly host: TestHost
  readonly options: StampOptions
  readonly signIn: (browser?: Browser) => Promise<Browser>
  readonly enroll: () => Promise<{ readonly app: ReturnType<typeof authenticatorApp> }>
}

/** The configuration knows the feature by a provider that brings it. */
async function openStamps(
  stores: object = { stamps: memoryStamps() },
  given: Parameters<typeof openFactors>[0] = {},
): Promise<StampHost> {
  const options: StampOptions = { isOpen: true, mails: [] }
  const hosting = await openFactors(given)
  const { host } = hosting
  const config = host.config as AuthConfig
  const desk: CredentialsConfig = {
    id: "desk",
    name: "Desk",
    type: "credentials",
    authorize: atDesk,
    [signInMethod]: { ...credentialsMethod, feature: stamps(options) },
  }
  Object.assign(config.adapter ?? {}, stores)
  config.providers.push(desk)
  return { host, options, signIn: hosting.signIn, enroll: hosting.enroll }
}

// The lines that the tables of cookies would have.
beforeAll(async () => {
  Reflect.set(ownCookies, "stamp", cookie)
  const { shares } = await import("../../src/http/cookie-budget.js")
  Reflect.set(shares, "stamp", { share: 512 })
})
afterAll(() => void Reflect.deleteProperty(ownCookies, "stamp"))

describe("a feature that the core does not know", () => {
  it("is refused without what it needs, with its own sentence", async () => {
    const { host } = await openStamps({})
    expect(getService(host.config as AuthConfig).mistake?.message).toBe("stamps: the adapter has no store `stamps`")
  })

  it("has routes, a page with messages of its own, a cookie, a mailed secret and a store", async () => {
    const { host, options, signIn } = await openStamps()
    const browser = await signIn()
    expect((await post(browser, "/auth/stamps", { email: address })).json()).toEqual({ sent: true })
    expect(options.mails).toHaveLength(1)
    await browser.open(options.mails[0] ?? "")
    const page = await browser.open("/auth/stamps")
    expect(page.find("title")?.text).toContain("Your stamps")
    expect(page.text()).toContain("You have 1 stamps.")
    const answer = await browser.fetch("/auth/stamps", { headers: { accept: "application/json" } })
    expect(await answer.json()).toEqual({ count: 1, desk: "front" })
    expect(host.leaks()).toEqual([])
  })

  it("has a line and a page in the account area, whose change requires a recent sign-in", async () => {
    using clock = fixedClock()
    const { host, options, signIn } = await openStamps(undefined, { accountArea: accountArea() })
    const browser = await signIn()
    await post(browser, "/auth/stamps", { email: address })
    await browser.open(options.mails[0] ?? "")
    const overview = await browser.open("/auth/account")
    expect(overview.find('main a[href$="/account/stamps"]')?.text).toBe("Your stampsYou have 1 stamps.")
    const profile = await browser.open("/auth/account/profile")
    expect(profile.find('nav a[href$="/account/stamps"]')?.text).toBe("Your stamps")
    expect(profile.find("nav a[aria-current=page]")?.text).toBe("Profile")
    expect((await browser.open("/auth/account/stamps")).text()).toContain("You have 1 stamps.")
    const headers = { accept: "application/json" }
    const account = await browser.fetch("/auth/account", { headers })
    expect(await account.json()).toMatchObject({ sections: { stamps: { count: 1 } } })
    clock.advance({ minutes: 11 })
    const refused = await post(browser, "/auth/account/stamps", {}, { headers })
    expect([refused.status, Object(refused.json()).error]).toEqual([403, "FreshnessRequired"])
    await post(browser, "/auth/confirm/cred", { name: address })
    expect((await post(browser, "/auth/account/stamps", {}, { headers })).json()).toEqual({ count: 0 })
    expect((await host.newBrowser().fetch("/auth/account/stamps", { headers })).status).toBe(401)
  })

  it("does not exist in other configurations", async () => {
    const { host } = await openFactors()
    expect((await host.newBrowser().fetch("/auth/stamps")).status).toBe(400)
    const { store } = getService(host.config as AuthConfig).contextFor({ protocol: "https:" })
    expect(store?.findStore("stamps")).toBeUndefined()
  })

  it("has the errors of its store logged and rethrown like those of the adapter", async () => {
    const { host } = await openStamps()
    const { store } = getService(host.config as AuthConfig).contextFor({ protocol: "https:" })
    await expect(store?.findStore<StampStore>("stamps")?.add("u-broken")).rejects.toThrow("adapter.stamps.add failed")
    expect(host.logger.errorTypes()).toEqual(["AdapterError"])
  })

  it("adds cookies and headers to the answer that starts a session", async () => {
    const { host } = await openStamps()
    const browser = host.newBrowser()
    const answer = await post(browser, "/auth/callback/cred", { name: address })
    expect(answer.headers.get("x-stamps")).toBe("welcome")
    expect(browser.cookies.names()).toContain("__Host-authjs.stamp")
  })

  it("refuses a sign-in before the gate, and again when a held one goes on", async () => {
    using clock = fixedClock()
    const { host, options, enroll, signIn } = await openStamps()
    const { app } = await enroll()
    clock.advance({ minutes: 1 })
    const browser = await signIn(host.newBrowser())
    expect((await browser.open("/auth/second-factor")).find("h1")?.text).toBe("Enter your code")
    options.isOpen = false
    const page = await browser.submit("form", { code: await app.code() })
    expect(page.url.pathname).toBe("/auth/stamps")
    expect(await browser.session()).toBeNull()

    const other = await signIn(host.newBrowser())
    expect(await other.session()).toBeNull()
    expect((await other.open("/auth/second-factor")).find("h1")?.text).not.toBe("Enter your code")
  })

  it("finds providers that are not in the configuration", async () => {
    const { host } = await openStamps()
    const { findProvider, providers } = getService(host.config as AuthConfig).contextFor({ protocol: "https:" })
    expect(await findProvider("desk-7")).toMatchObject({ name: "Desk 7" })
    expect(await findProvider("desk-8")).toBeUndefined()
    // Without a promise for those of the configuration.
    expect(findProvider("desk")).toBe(providers.get("desk"))
    const browser = host.newBrowser()
    await post(browser, "/auth/callback/desk-7", {})
    expect((await browser.session())?.user?.name).toBe("Desk")
  })

  it("is named by no file of the core", () => {
    const sources = new URL("../../src/", import.meta.url)
    const naming = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter(
      (file) => /\.tsx?$/.test(file) && /["'`.]stamps?\b/.test(readFileSync(new URL(file, sources), "utf8")),
    )
    expect(naming).toEqual([])
  })
})

describe("the recipe for a feature", () => {
  it("shows the code of this test", () => {
    const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")
    const [recipe, own] = [read("../../../../docs/recipes/feature.md"), read("./unknown-feature.test.ts")]
    const blocks = [...recipe.matchAll(/^```ts fragment\n(.*?)^```$/gms)].map(([, code = ""]) => code)
    expect(blocks.length).toBeGreaterThan(5)
    expect(blocks.filter((code) => !own.includes(code))).toEqual([])
  })
})
