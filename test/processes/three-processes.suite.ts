import { type Browser, createBrowser } from "@latchkey/testkit"
import { hasProgram } from "@latchkey/testkit/servers"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type AppProcess, startProcess, useProcesses, useService } from "./processes.js"
import type { OpenedStore, SharedStore } from "./stores.js"

const checkEvery = 60
const sessionCookie = "__Secure-authjs.session-token"

/** Runs three processes of an app on each of the stores. */
export function testThreeProcesses(...stores: readonly SharedStore[]): void {
  const service = useService()

  describe.each(stores)("three processes on $name", ({ program, open }) => {
    const isMissing = program !== null && !hasProgram(program)
    let store: OpenedStore
    beforeAll(async () => {
      if (!isMissing) store = await open()
    })
    afterAll(async () => await store?.stop())

    describe.skipIf(isMissing).each(["jwt", "database"] as const)("with %s sessions", (strategy) => {
      let email: string
      const secret = crypto.randomUUID()
      const start = () => startProcess(service(), { store: store.url, strategy, checkEvery, secret })
      const started = useProcesses(3, start)
      let processes: AppProcess[]
      beforeEach(() => {
        processes = started()
        email = `${crypto.randomUUID()}@corp.test`
      })

      const nth = (n: number): AppProcess => {
        const found = processes[n % processes.length]
        if (!found) throw new Error("There is no process")
        return found
      }

      /** A browser whose requests go to one process after the other, from the first. */
      const openBrowser = (first = 0): Browser => {
        let count = first
        return createBrowser({ handler: (request) => nth(count++).answer(request) })
      }
      const openAt = (n: number): Browser => createBrowser({ handler: (request) => nth(n).answer(request) })

      const checkAt = async (n: number, from: Browser) => await copyOf(from, openAt(n)).session()

      /** The email of the session at each process. */
      const checkAtEach = (from: Browser) =>
        Promise.all([0, 1, 2].map(async (n) => (await checkAt(n, from))?.user?.email))

      async function signInAt(n: number): Promise<Browser> {
        const browser = openAt(n)
        await browser.signIn("email", { email, callbackUrl: "/in" })
        await typeCode(browser, nth(n).lastMail().code)
        expect((await browser.session())?.user?.email).toBe(email)
        return browser
      }

      it("SESS-01: refuse a stolen cookie at each process once checkEvery is over since its session was ended, even if one was killed", async () => {
        const stolen = copyOf(await signInAt(0), openAt(0))
        const owner = await signInAt(1)
        expect(await checkAtEach(stolen)).toEqual([email, email, email])
        const busy = Array.from({ length: 20 }, () => checkAt(2, stolen).catch(() => "ended"))
        await nth(2).kill()
        await Promise.all(busy)
        const [, other] = await listOf(owner)
        expect((await post(owner, "/auth/account/sessions", { action: "end", id: other?.id ?? "" })).status).toBe(200)
        processes[2] = await start()
        const isOver = Date.now() + checkEvery * 1000
        for (const one of processes) one.holdClock(isOver)
        expect(await checkAtEach(stolen)).toEqual([undefined, undefined, undefined])
        expect(await checkAtEach(owner)).toEqual([email, email, email])
        expect(await listOf(owner)).toHaveLength(1)
      })

      it("CODE-04: count the guesses of a code at all processes, also those at a killed one", async () => {
        const browser = openAt(0)
        await browser.signIn("email", { email })
        const { code, link } = nth(0).lastMail()
        for (const n of [1, 2, 3]) await typeCode(browser, otherCode(code, n))
        await nth(0).kill()
        processes[0] = await start()
        const elsewhere = copyOf(browser, openAt(1))
        for (const n of [4, 5]) await typeCode(elsewhere, otherCode(code, n))
        const third = copyOf(browser, openAt(2))
        await typeCode(third, code)
        await third.open(link)
        for (const one of [browser, elsewhere, third]) expect(await one.session()).toBeNull()
      })

      it("CODE-05: start one session from a code and its link, 50 times at once", async () => {
        const browser = openBrowser()
        await browser.signIn("email", { email })
        const { code, link } = nth(processes.findIndex(hasMail)).lastMail()
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_unused, n) => {
            const tab = copyOf(browser, openBrowser(n))
            return n % 2 === 0 ? typeCode(tab, code) : tab.fetch(link)
          }),
        )
        const started = answers.filter(startsSession)
        expect(started).toHaveLength(1)
        expect(answers.filter(({ status }) => status >= 500)).toEqual([])
        const owner = await signInAt(2)
        expect(await listOf(owner)).toHaveLength(2)
      })
    })
  })
}

function hasMail(process: AppProcess): boolean {
  try {
    return process.lastMail().code !== ""
  } catch {
    return false // This process sent none.
  }
}

async function typeCode(browser: Browser, code: string): Promise<Response> {
  return await post(browser, "/auth/callback/email", { code })
}

async function post(browser: Browser, path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  const body = new URLSearchParams({ csrfToken: await browser.csrfToken(), ...fields })
  return await browser.fetch(path, { method: "POST", body })
}

async function listOf(browser: Browser): Promise<readonly { readonly id: string }[]> {
  const answer = await browser.fetch("/auth/account/sessions")
  return ((await answer.json()) as { readonly sessions: readonly { readonly id: string }[] }).sessions // as: what the route answers
}

function copyOf(from: Browser, to: Browser): Browser {
  for (const { name, value } of from.cookies.list()) to.cookies.set(name, value)
  return to
}

function otherCode(code: string, distance: number): string {
  return String((Number(code) + distance) % 1_000_000).padStart(6, "0")
}

function startsSession(answer: Response): boolean {
  return answer.headers.getSetCookie().some((cookie) => new RegExp(`^${sessionCookie}(\\.0)?=[^;]`).test(cookie))
}
