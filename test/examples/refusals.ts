import type { APIRequestContext, APIResponse, Page, Request } from "playwright-core"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Example } from "./example.js"
import type { Stage } from "./stage.js"
import { ada } from "./steps.js"
import { openVisit, type Visit } from "./visit.js"

const attacker = "https://attacker.example"

/** What an example must refuse, whichever framework answers. */
export function describeRefusals(example: Example, stage: () => Stage): void {
  describe("refuses", () => {
    let visit: Visit

    beforeEach(async () => {
      visit = await openVisit(example, stage())
    })
    afterEach(() => visit.close())

    it("to sign out on behalf of another site", async () => {
      await visit.open("/")
      await visit.signInWithDemoId("Grace Hopper")
      await visit.expectSignedInAs("Grace Hopper")
      const post = await interceptPost(visit.page, () => visit.signOut())
      await sendAgain(visit.context.request, post, fromElsewhere)
      await visit.open("/")
      await visit.expectSignedInAs("Grace Hopper")
      await sendAgain(visit.context.request, post)
      await visit.open("/")
      await visit.expectNobody()
    })

    it("to sign in on behalf of another site", async () => {
      await visit.open("/login")
      const post = await interceptPost(visit.page, () => visit.signInWithPassword())
      await sendAgain(visit.context.request, post, fromElsewhere)
      await visit.open("/")
      await visit.expectNobody()
      await sendAgain(visit.context.request, post)
      await visit.open("/")
      await visit.expectSignedInAs(ada.name)
    })

    it("to show the private page to a client that follows no redirect", async () => {
      const answer = await visit.context.request.get(`${stage().origin}/private`, {
        headers: { accept: "text/html" },
        maxRedirects: 0,
      })
      expect([302, 303, 307]).toContain(answer.status())
      expect(await answer.text()).not.toContain("<h1>Private")
    })

    it("to lead a visitor to another site after signing in", async () => {
      await visit.open(`/login?callbackUrl=${encodeURIComponent(attacker)}`)
      await visit.signInWithPassword()
      await visit.expectPath("/")
      expect(new URL(visit.page.url()).origin).toBe(stage().origin)
    })

    it("to repeat a forged host", async () => {
      const { origin } = stage()
      const paths = [
        "/",
        "/login",
        "/private",
        ...["signin", "providers", "callback/demo"].map((path) => below(example, path)),
      ]
      for (const path of paths) {
        const headers = { host: "attacker.example", "x-forwarded-host": "attacker.example", accept: "text/html" }
        const answer = await visit.context.request.get(`${origin}${path}`, { headers, maxRedirects: 0 })
        expect(await describeAnswer(answer), path).not.toContain("attacker.example")
      }
    })
  })
}

function below({ basePath }: Example, path: string): string {
  return `${basePath}/${path}`
}

/** The first form or script of the page that would have changed something; it is not sent. */
async function interceptPost(page: Page, action: () => Promise<void>): Promise<Request> {
  const isPost = (request: Request): boolean => request.method() === "POST"
  await page.route("**", (route) => (isPost(route.request()) ? route.abort() : route.fallback()))
  const aborted = page.waitForEvent("requestfailed", isPost)
  // The action cannot come to its end, since nothing answers.
  action().catch(() => undefined)
  const post = await aborted
  await page.unroute("**")
  return post
}

/** What a browser would say if a page of another site sent it. */
const fromElsewhere = { origin: attacker, referer: `${attacker}/`, "sec-fetch-site": "cross-site" }

/** With the visitor's cookies, and with all that the page knew. */
async function sendAgain(client: APIRequestContext, post: Request, changes: object = {}): Promise<APIResponse> {
  const { host: _host, cookie: _cookie, "content-length": _length, ...headers } = await post.allHeaders()
  const data = post.postDataBuffer()
  const options = { method: "POST", headers: { ...headers, ...changes }, maxRedirects: 0 }
  return client.fetch(post.url(), data ? { ...options, data } : options)
}

async function describeAnswer(answer: APIResponse): Promise<string> {
  const headers = answer.headersArray().map(({ name, value }) => `${name}: ${value}`)
  return [...headers, await answer.text()].join("\n")
}
