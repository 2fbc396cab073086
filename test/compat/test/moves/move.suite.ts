import type { Adapter, AdapterAccount, AdapterSession, AdapterUser } from "@latchkey/core/adapters"
import {
  type Browser,
  type Page,
  passkeyClient,
  type SoftwareAuthenticator,
  softwareAuthenticator,
  toStoredId,
} from "@latchkey/testkit"
import { expect, it } from "vitest"
import type { TheirStore } from "../theirs/their-store.js"
import { openStage, type Stage } from "./stage.js"

/** Our adapter on the data of theirs. */
export interface OurStore {
  readonly adapter: Adapter
  close(): unknown
}

export interface Move {
  openTheirs(): Promise<TheirStore> | TheirStore
  /** The steps of the guide, which run once. */
  openOurs(): Promise<OurStore> | OurStore
  /** Whether their adapter supports passkeys. */
  readonly hasPasskeys: boolean
  /** Whether their adapter reads what ours wrote. */
  readonly hasWayBack: boolean
}

/** A user who is signed in during the move, with their records. */
interface Visitor {
  readonly browser: Browser
  readonly user: AdapterUser
  readonly session: AdapterSession
}

const sessionCookie = "__Secure-authjs.session-token"
const tokenOf = (browser: Browser): string => browser.cookies.get(sessionCookie) ?? ""
const emailOf = async (browser: Browser) => (await browser.session())?.user?.email ?? null

const names = ["Ada Lovelace", "Zoë Ångström", "愛", "مرحبا", "O'Brien; --", "👩🏽‍🚀"]

/** Tests that a move keeps all sessions and records. */
export function testMove(move: Move): void {
  it("keeps all sessions and records, to our adapter and back", async () => {
    const theirs = await move.openTheirs()
    try {
      const stage = openStage(theirs.adapter, move)
      const before = await fill(stage, theirs.adapter, move)
      const ours = await move.openOurs()
      try {
        stage.deploy(ours.adapter)
        const made = await goOnWithOurs(stage, ours.adapter, before)
        if (move.hasWayBack) {
          stage.deploy(theirs.adapter)
          await goBack(stage, before, made)
        }
      } finally {
        await ours.close()
      }
    } finally {
      await theirs.close()
    }
  }, 60_000)
}

/** The users and flows during the move. */
interface Before {
  readonly visitors: readonly Visitor[]
  readonly accounts: readonly object[]
  readonly passkey: Registered | null
  /** A visitor with an emailed link that is not used yet. */
  readonly latecomer: Browser
  readonly link: string
}

async function fill(stage: Stage, adapter: Adapter, { hasPasskeys }: Move): Promise<Before> {
  const visitors = await signInMany(stage, adapter)
  const passkey = hasPasskeys ? await registerPasskey(stage, adapter) : null
  const accounts = stage.host().events.of("linkAccount")
  const latecomer = stage.newBrowser()
  await latecomer.signIn("email", { email: "late@corp.test", callbackUrl: "/in" })
  expect(stage.host().logger.errorTypes()).toEqual([])
  return { visitors, passkey, accounts: accounts.map(({ account }) => account), latecomer, link: stage.lastLink() }
}

async function goOnWithOurs(stage: Stage, adapter: Adapter, before: Before): Promise<Browser> {
  const { visitors, accounts, passkey, latecomer, link } = before
  await expectAllThere(adapter, visitors)
  await expectAccounts(adapter, accounts)
  if (passkey) await expectPasskey(stage, passkey, adapter)
  expect((await latecomer.open(link)).url.pathname).toBe("/in")
  expect((await openAndPress(stage.newBrowser(), link)).url.search).toBe("?error=Verification")
  const made = await goOn(stage, visitors)
  expect(stage.host().logger.errorTypes()).toEqual(["Verification"])
  return made
}

/** Opens a link in a browser that did not ask for it, and presses the button of its page. */
async function openAndPress(browser: Browser, link: string): Promise<Page> {
  await browser.open(link)
  return browser.submit("form")
}

async function goBack(stage: Stage, { visitors, passkey, latecomer }: Before, made: Browser): Promise<void> {
  for (const { browser, user } of visitors) expect(await emailOf(browser)).toBe(user.email)
  expect([await emailOf(made), await emailOf(latecomer)]).toEqual(["new@corp.test", "late@corp.test"])
  if (passkey) expect(await signInWith(stage, passkey.device)).toBe("grace@corp.test")
  await goOn(stage, visitors)
  expect(stage.host().logger.errorTypes()).toEqual([])
}

async function signInMany(stage: Stage, adapter: Adapter): Promise<readonly Visitor[]> {
  const browsers: Browser[] = []
  for (const [index, name] of names.entries()) {
    const browser = stage.newBrowser()
    stage.signInAs({ sub: `sub-${index}`, name, email: `${index}@corp.test` })
    await browser.signIn("oidc")
    browsers.push(browser)
  }
  await browsers[0]?.signIn("other")
  const byMail = stage.newBrowser()
  await byMail.signIn("email", { email: "ben@corp.test" })
  await byMail.open(stage.lastLink())
  return await Promise.all([...browsers, byMail].map((browser) => recordsOf(browser, adapter)))
}

async function recordsOf(browser: Browser, adapter: Adapter): Promise<Visitor> {
  const found = await adapter.getSessionAndUser?.(tokenOf(browser))
  if (!found) throw new Error("A user is not signed in before the move")
  return { browser, ...found }
}

interface Registered {
  readonly device: SoftwareAuthenticator
  readonly stored: object
}

async function registerPasskey(stage: Stage, adapter: Adapter): Promise<Registered> {
  const device = softwareAuthenticator({ firstCounter: 1 })
  await passkeyClient({ browser: stage.newBrowser(), device }).register("grace@corp.test")
  const stored = await adapter.getAuthenticator?.(toStoredId(device.credentials[0]?.id ?? ""))
  if (!stored) throw new Error("The passkey was not stored before the move")
  return { device, stored }
}

async function signInWith(stage: Stage, device: SoftwareAuthenticator): Promise<string | null> {
  const browser = stage.newBrowser()
  await passkeyClient({ browser, device }).signIn()
  return await emailOf(browser)
}

/** Some adapters store numeric ids; ours stores text. */
const withTextIds = (record: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([field, value]) => value !== null && value !== undefined && !(field === "id" && "userId" in record))
      .map(([field, value]) => [field, ["id", "userId"].includes(field) ? String(value) : value]),
  )

async function expectAllThere(adapter: Adapter, visitors: readonly Visitor[]): Promise<void> {
  for (const { browser, user, session } of visitors) {
    expect(await emailOf(browser)).toBe(user.email)
    const found = await adapter.getSessionAndUser?.(session.sessionToken)
    expect(found?.session).toMatchObject(withTextIds(session))
    for (const one of [
      found?.user,
      await adapter.getUserByEmail?.(user.email),
      await adapter.getUser?.(String(user.id)),
    ])
      expect(one).toMatchObject(withTextIds(user))
  }
}

async function expectAccounts(adapter: Adapter, accounts: readonly object[]): Promise<void> {
  expect(accounts.length).toBeGreaterThan(names.length)
  for (const account of accounts) {
    const { provider, providerAccountId } = account as AdapterAccount // as: the event has the stored account
    const found = await adapter.getAccount?.(providerAccountId, provider)
    expect(found).toMatchObject(withTextIds(account))
    expect(await adapter.getUserByAccount?.({ provider, providerAccountId })).toMatchObject({ id: found?.userId })
  }
}

async function expectPasskey(stage: Stage, { device, stored }: Registered, adapter: Adapter): Promise<void> {
  const id = toStoredId(device.credentials[0]?.id ?? "")
  expect(await adapter.getAuthenticator?.(id)).toMatchObject(withTextIds(stored))
  expect(await signInWith(stage, device)).toBe("grace@corp.test")
}

/** Normal use after the move: the first user signs out and in again, and a new user signs in. */
async function goOn(stage: Stage, visitors: readonly Visitor[]): Promise<Browser> {
  const [first] = visitors
  if (!first) throw new Error("There is no user")
  await first.browser.signOut()
  expect(await emailOf(first.browser)).toBeNull()
  const index = Number(first.user.email.split("@", 1))
  stage.signInAs({ sub: `sub-${index}`, name: "Another name by now", email: first.user.email })
  await first.browser.signIn("oidc")
  expect((await first.browser.session())?.user).toMatchObject({ name: first.user.name, email: first.user.email })
  const made = stage.newBrowser()
  stage.signInAs({ sub: "new", name: "Somebody new", email: "new@corp.test" })
  await made.signIn("oidc")
  expect(await emailOf(made)).toBe("new@corp.test")
  return made
}
