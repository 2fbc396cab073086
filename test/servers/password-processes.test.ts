import { type Browser, createBrowser } from "@latchkey/testkit"
import { hasProgram } from "@latchkey/testkit/servers"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type AppProcess, type StopPoint, startProcess, useService } from "../processes/processes.js"
import { type OpenedStore, onPostgres, onRedis } from "../processes/stores.js"

const former = "correct horse battery"
const chosen = "another staple of words"

/** Where the process dies, and whether the password is a new one by then. */
const deaths: readonly (readonly [string, StopPoint, boolean])[] = [
  ["before the sessions end", { method: "endSessions", call: 1, moment: "before" }, false],
  ["before the password is stored", { method: "setPassword", call: 2, moment: "before" }, false],
  ["when the password is stored", { method: "setPassword", call: 2, moment: "after" }, true],
  ["before the new session begins", { method: "createSessionDetail", call: 2, moment: "before" }, true],
]

describe.each([onPostgres, onRedis])(
  "two processes on $name, one of which is killed in the middle of a reset",
  ({ program, open }) => {
    const service = useService()
    const isMissing = program !== null && !hasProgram(program)
    let store: OpenedStore
    beforeAll(async () => {
      if (!isMissing) store = await open()
    })
    afterAll(async () => await store?.stop())

    describe.skipIf(isMissing).each(["jwt", "database"] as const)("with %s sessions", (strategy) => {
      const secret = crypto.randomUUID()
      let email: string
      let other: AppProcess
      const start = (stopAt?: StopPoint) =>
        startProcess(service(), { store: store.url, strategy, checkEvery: 0, secret, ...(stopAt && { stopAt }) })
      const openAt = (process: AppProcess): Browser => createBrowser({ handler: (request) => process.answer(request) })

      async function signInAt(process: AppProcess, password: string): Promise<Browser> {
        const browser = openAt(process)
        await post(browser, "callback/password", { email, password })
        return browser
      }

      /** Whether each of the passwords signs in. */
      async function tryBoth(): Promise<readonly boolean[]> {
        const browsers = [await signInAt(other, former), await signInAt(other, chosen)]
        return Promise.all(browsers.map(isSignedIn))
      }

      beforeEach(async () => {
        email = `${crypto.randomUUID()}@corp.test`
        other = await start()
      })
      afterEach(async () => await other.stop())

      it.each(deaths)(
        "PASS-03: %s: one password works, and with a new one no session from before",
        async (...death) => {
          const [, stopAt, isChanged] = death
          const dying = await start(stopAt)
          // Its first password and its first session.
          const thief = openAt(dying)
          await post(thief, "password/sign-up", { email, password: former })
          await post(thief, "password/sign-up", { code: dying.lastMail().code })
          const elsewhere = copyOf(thief, openAt(other))
          expect(await isSignedIn(elsewhere)).toBe(true)

          const browser = openAt(dying)
          await post(browser, "password/forgot", { email })
          const { code, link } = dying.lastMail()
          const reset = post(browser, "password/reset", { code, password: chosen }).catch(() => "killed")
          await dying.stopped
          await dying.kill()
          expect(await reset).toBe("killed")

          expect(await tryBoth()).toEqual([!isChanged, isChanged])
          if (isChanged) expect(await isSignedIn(elsewhere)).toBe(false)
          // The mail was used up, and another one works.
          const again = openAt(other)
          await post(again, `password/reset${new URL(link).search}`, { password: "a third one of many words" })
          expect(await isSignedIn(again)).toBe(false)
          await post(again, "password/forgot", { email })
          await post(again, "password/reset", { code: other.lastMail().code, password: chosen })
          expect(await isSignedIn(again)).toBe(true)
          expect(await tryBoth()).toEqual([false, true])
        },
      )
    })
  },
)

async function post(browser: Browser, path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  const body = new URLSearchParams({ csrfToken: await browser.csrfToken(), ...fields })
  return browser.fetch(`/auth/${path}`, { method: "POST", body })
}

async function isSignedIn(browser: Browser): Promise<boolean> {
  return (await browser.session()) !== null
}

function copyOf(from: Browser, to: Browser): Browser {
  for (const { name, value } of from.cookies.list()) to.cookies.set(name, value)
  return to
}
