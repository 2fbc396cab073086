import { accountArea, deleteDueUsers } from "@latchkey/core/account-area"
import Passwords, { type AddressedMail } from "@latchkey/core/providers/passwords"
import { trackSessions } from "@latchkey/core/sessions"
import { describe, expect, it } from "vitest"
import type { Browser } from "../browser/browser.js"
import { type TestHost, testHost } from "../host/test-host.js"
import { fixedClock } from "../time/fixed-clock.js"
import type { AdapterSuite, AdapterUnderTest } from "./test-adapter.js"

const password = "correct horse battery"

/** Registers the tests of the account area that depend on the store, end to end: the service runs on the adapter. */
export function testAccountArea({ name = "adapter", create }: Pick<AdapterSuite, "name" | "create">): void {
  describe.each(["jwt", "database"] as const)(`${name}, with an account area and %s sessions`, (strategy) => {
    it.each(Object.entries(cases))("%s", async (_, run) => {
      const store = await create()
      try {
        await run(openStage(store, strategy))
      } finally {
        await store.close?.()
      }
    })
  })
}

interface Stage {
  readonly store: AdapterUnderTest
  readonly mails: readonly AddressedMail[]
  openHost(deleteAfterDays?: number): TestHost
  /** Creates an account, and signs it in. */
  signUp(host: TestHost, email: string): Promise<Browser>
  lastCode(): string
  /** The path of the link in the newest mail to an address. */
  linkTo(address: string): string
  /** The address of the user of a session. Undefined without a session. */
  addressOf(browser: Browser): Promise<string | null | undefined>
}

function openStage(store: AdapterUnderTest, strategy: "jwt" | "database"): Stage {
  const mails: AddressedMail[] = []
  const lastCode = () => /^\d{6}$/m.exec(mails.at(-1)?.text ?? "")?.[0] ?? ""
  return {
    store,
    mails,
    lastCode,
    openHost: (deleteAfterDays = 0) =>
      testHost({
        adapter: store.adapter,
        session: { strategy, track: trackSessions({ checkEvery: 0 }) },
        rateLimit: false,
        accountArea: accountArea({ deleteAfterDays }),
        providers: [Passwords({ mail: { send: (mail) => void mails.push(mail) }, breached: false })],
      }),
    async signUp(host, email) {
      const browser = host.newBrowser()
      await post(browser, "password/sign-up", { email, password })
      await post(browser, "password/sign-up", { code: lastCode() })
      return browser
    },
    linkTo(address) {
      const text = mails.findLast(({ to }) => to === address)?.text ?? ""
      const { pathname, search } = new URL(/https:\/\/\S+/.exec(text)?.[0] ?? "")
      return `${pathname.replace(/^\/auth\//, "")}${search}`
    },
    addressOf: async (browser) => (await browser.session())?.user?.email,
  }
}

const newAddress = () => `${crypto.randomUUID()}@corp.test`

const cases: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  async "ACC-01: change the address once, when the new one is proved"({ openHost, signUp, linkTo, addressOf }) {
    const [host, email, moved] = [openHost(), newAddress(), newAddress()]
    const browser = await signUp(host, email)
    expect(await post(browser, "account/email", { action: "send", email: moved })).toBe(200)
    expect(await addressOf(browser)).toBe(email)
    const link = linkTo(moved)
    const statuses = await Promise.all([1, 2, 3, 4].map(() => post(browser, link, { action: "confirm" })))
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(await addressOf(browser)).toBe(moved)
  },

  async "ACC-03: undo a change of the address, and end all sessions"(stage) {
    const { store, openHost, signUp, linkTo, lastCode, addressOf } = stage
    const [host, email, moved] = [openHost(), newAddress(), newAddress()]
    const browser = await signUp(host, email)
    const id = (await store.adapter.getUserByEmail?.(email))?.id ?? ""
    await post(browser, "account/email", { action: "send", email: moved })
    await post(browser, "account/email", { action: "confirm", code: lastCode() })
    expect((await store.adapter.getUser?.(id))?.email).toBe(moved)
    const link = linkTo(email)
    expect(await addressOf(await signUp(host, email))).toBeUndefined()
    expect(link).toMatch(/^account\/email\/undo\?/)
    const statuses = await Promise.all([1, 2, 3].map(() => post(host.newBrowser(), link, {})))
    expect(statuses).toContain(200)
    expect((await store.adapter.getUser?.(id))?.email).toBe(email)
    expect(await addressOf(browser)).toBeUndefined()
    expect(await post(host.newBrowser(), link, {})).toBe(400)
  },

  async "ACC-07: give the data of a user once an hour"({ openHost, signUp }) {
    const browser = await signUp(openHost(), newAddress())
    const download = () => post(browser, "account/export", { action: "download" })
    expect((await Promise.all([1, 2, 3].map(download))).toSorted()).toEqual([200, 400, 400])
  },

  async "ACC-08: delete a user with everything that belongs to them"({ store, openHost, signUp, addressOf }) {
    const [host, email] = [openHost(), newAddress()]
    const browser = await signUp(host, email)
    const id = (await store.adapter.getUserByEmail?.(email))?.id ?? ""
    expect(await post(browser, "account/delete", { action: "delete", confirm: email })).toBe(200)
    expect((await store.adapter.getUser?.(id)) ?? null).toBeNull()
    expect((await store.adapter.getPassword?.(id)) ?? null).toBeNull()
    expect(await store.adapter.listSessionsByUserId?.(id)).toEqual([])
    expect(await addressOf(browser)).toBeUndefined()
  },

  async "ACC-08: delete a user after a wait, unless a sign-in cancels it"({ store, openHost, signUp }) {
    using clock = fixedClock(new Date())
    const host = openHost(30)
    const [gone, kept] = [newAddress(), newAddress()]
    for (const email of [gone, kept]) {
      const browser = await signUp(host, email)
      expect(await post(browser, "account/delete", { action: "delete", confirm: email })).toBe(200)
    }
    await post(host.newBrowser(), "callback/password", { email: kept, password })
    clock.advance({ days: 31 })
    const counts = await Promise.all([1, 2, 3].map(() => deleteDueUsers(host.config, "https://app.test")))
    expect(counts.reduce((sum, count) => sum + count)).toBe(1)
    expect((await store.adapter.getUserByEmail?.(gone)) ?? null).toBeNull()
    expect(await store.adapter.getUserByEmail?.(kept)).toMatchObject({ email: kept })
  },
}

/** Returns the status. */
async function post(browser: Browser, path: string, fields: Readonly<Record<string, string>>): Promise<number> {
  const body = new URLSearchParams({ csrfToken: await browser.csrfToken(), ...fields })
  return (await browser.fetch(`/auth/${path}`, { method: "POST", body, headers: { accept: "application/json" } }))
    .status
}
