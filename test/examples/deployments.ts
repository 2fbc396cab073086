import { afterEach, describe, expect, it } from "vitest"
import type { Example } from "./example.js"
import type { Place, Stage } from "./stage.js"
import { openStandIns } from "./stand-ins.js"
import { ada, polling } from "./steps.js"
import { openTlsProxy } from "./tls-proxy.js"
import { closeWithoutProblems, openVisit, type Visit } from "./visit.js"

/** Tests of an example in other environments. */
export function describeDeployments(example: Example, stage: () => Stage): void {
  describe("after a restart", () => {
    const closables: { close(): unknown }[] = []
    const visitor = async (place: Partial<Place> = {}): Promise<Visit> => {
      const visit = await openVisit(example, { ...stage(), ...place })
      closables.push(visit)
      return visit
    }
    /** The output of a process may come after its response. */
    const expectOutput = (text: string): Promise<void> => expect.poll(() => stage().output(), polling).toContain(text)
    afterEach(async () => {
      for (const closable of closables.splice(0).reverse()) await closable.close()
    })

    it("keeps the session", async () => {
      const visit = await visitor()
      await visit.open("/")
      await visit.signInWithDemoId("Grace Hopper")
      await visit.expectSignedInAs("Grace Hopper")
      await stage().restart()
      await visit.open("/")
      await visit.expectSignedInAs("Grace Hopper")
    })

    it("works without AUTH_URL when the Host header is trusted", async () => {
      await stage().restart({ AUTH_URL: undefined, AUTH_TRUST_HOST: "true" })
      const visit = await visitor()
      await visit.open("/")
      await visit.signInWithDemoId("Grace Hopper")
      await visit.expectSignedInAs("Grace Hopper")
      await visit.signOut()
      await visit.expectNobody()
      await visit.open("/login")
      await visit.signInWithPassword()
      await visit.expectSignedInAs(ada.name)
      await closeWithoutProblems(visit)
    })

    it("works behind a TLS proxy, with secure cookies", async () => {
      const proxy = await openTlsProxy(stage().origin, stage().certificate)
      const standIns = await openStandIns(`${proxy.origin}${example.basePath}/callback/demo`)
      closables.push(proxy, standIns)
      await stage().restart({ ...standIns.env, AUTH_URL: proxy.origin })
      const visit = await visitor({ origin: proxy.origin, standIns })
      await visit.open("/")
      await visit.signInWithDemoId("Grace Hopper")
      await visit.expectSignedInAs("Grace Hopper")
      const cookies = await visit.context.cookies(proxy.origin)
      expect(cookies.filter(({ secure }) => !secure)).toEqual([])
      expect(cookies.map(({ name }) => name).filter((name) => name.includes("session-token"))).not.toEqual([])
      await visit.signOut()
      await visit.expectNobody()
      await visit.open("/login")
      await visit.signInWithPassword()
      await visit.expectSignedInAs(ada.name)
      await closeWithoutProblems(visit)
    })

    it("fails closed without a secret", async () => {
      await stage().restart({ AUTH_SECRET: undefined })
      const visit = await visitor()
      const answer = await visit.context.request.get(`${stage().origin}/private`, {
        headers: { accept: "text/html" },
        maxRedirects: 0,
      })
      expect(answer.status()).toBeGreaterThanOrEqual(300)
      expect(await answer.text()).not.toContain("<h1>Private")
      await expectOutput("MissingSecret")
    })
  })
}
