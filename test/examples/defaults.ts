import type { APIRequestContext } from "playwright-core"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Example } from "./example.js"
import type { Stage } from "./stage.js"
import { ada, polling } from "./steps.js"
import { openVisit, type Visit } from "./visit.js"

/** More guesses than an account has in a day, and than a network has in a minute. */
const guesses = 120

/** What an example does as its `npm start` runs it, without a variable that states its mode or its address. */
export function describeDefaults(example: Example, stage: () => Stage): void {
  const urlOf = (path: string): string => `${stage().origin}${example.basePath}/${path}`
  /** The output of a process may come after its response. */
  const expectOutput = (text: string): Promise<void> => expect.poll(() => stage().output(), polling).toContain(text)

  describe("after a restart", () => {
    let visit: Visit

    beforeEach(async () => {
      visit = await openVisit(example, stage())
    })
    afterEach(() => visit.close())

    async function guess(client: APIRequestContext): Promise<readonly number[]> {
      const { csrfToken } = await (await client.get(urlOf("csrf"))).json()
      const statuses: number[] = []
      for (let n = 0; n < guesses && statuses.at(-1) !== 429; n++) {
        const answer = await client.post(urlOf("callback/credentials"), {
          form: { csrfToken, username: ada.username, password: `guess ${n}` },
          headers: { origin: stage().origin, "x-auth-return-redirect": "1" },
          maxRedirects: 0,
        })
        statuses.push(answer.status())
      }
      return statuses
    }

    it("limits guesses at a password without NODE_ENV", async () => {
      await stage().restart({ NODE_ENV: undefined })
      expect((await guess(visit.context.request)).at(-1)).toBe(429)
    })

    it("rejects a weak secret without NODE_ENV", async () => {
      await stage().restart({ NODE_ENV: undefined, AUTH_SECRET: "x" })
      const answer = await visit.context.request.get(urlOf("providers"))
      expect(answer.status()).toBeGreaterThanOrEqual(500)
      await expectOutput("shorter than 32 characters")
    })

    it("rejects requests with an untrusted host, and logs why", async () => {
      await stage().restart({ NODE_ENV: undefined, AUTH_URL: undefined })
      const client = visit.context.request
      expect((await client.get(urlOf("providers"))).status()).toBe(200)
      const headers = { host: "attacker.example", "x-forwarded-host": "attacker.example" }
      const answer = await client.get(urlOf("providers"), { headers, maxRedirects: 0 })
      expect(answer.status()).toBeGreaterThanOrEqual(400)
      expect(await answer.text()).not.toContain("attacker.example")
      await expectOutput("UntrustedHost")
    })
  })
}
