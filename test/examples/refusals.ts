import type { APIRequestContext, APIResponse, Page, Request } from "playwright-core"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Example } from "./example.js"
import type { Stage } from "./stage.js"
import { ada, polling } from "./steps.js"
import { openVisit, type Visit } from "./visit.js"

const attacker = "https://attacker.example"

/** Requests that every example must reject. */
export function describeRefusals(example: Example, stage: () => Stage): void {
  describe("rejects", () => {
    let visit: Visit

    beforeEach(async () => {
      visit = await openVisit(example, stage())
    })
    afterEach(() => visit.close())

    it("a sign-out from another site", async () => {
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

    it("a sign-in from another site", async () => {
      await visit.open("/login")
      const post = await interceptPost(visit.page, () => visit.signInWithPassword())
      await sendAgain(visit.context.request, post, fromElsewhere)
      await visit.open("/")
      await visit.expectNobody()
      await sendAgain(visit.context.request, post)
      await visit.open("/")
      await visit.expectSignedInAs(ada.name)
    })

    if (example.sessionBound !== undefined) {
      it("an end of the other sessions from another site", async () => {
        const other = await openVisit(example, stage())
        for (const each of [other, visit]) {
          await each.open("/")
          await each.signInWithDemoId("Grace Hopper")
          await each.expectSignedInAs("Grace Hopper")
        }
        await other.close()
        await visit.open("/sessions")
        const sessions = visit.page.locator(".sessions li")
        await sessions.nth(1).waitFor()
        const count = await sessions.count()
        const post = await interceptPost(visit.page, () => visit.endOtherSessions())
        await sendAgain(visit.context.request, post, fromElsewhere)
        await visit.open("/sessions")
        await expect.poll(() => sessions.count(), polling).toBe(count)
        // The browser adds this header when it sends a request, and the first one was aborted before.
        await sendAgain(visit.context.request, post, { "sec-fetch-site": "same-origin" })
        await visit.open("/sessions")
        await visit.expectSessions(["Chrome on Linux, this browser"])
      })
    }

    it("a request for the private page without a session", async () => {
      const answer = await visit.context.request.get(`${stage().origin}/private`, {
        headers: { accept: "text/html" },
        maxRedirects: 0,
      })
      expect([302, 303, 307]).toContain(answer.status())
      expect(await answer.text()).not.toContain("<h1>Private")
    })

    it("a callback URL on another site", async () => {
      await visit.open(`/login?callbackUrl=${encodeURIComponent(attacker)}`)
      await visit.signInWithPassword()
      await visit.expectPath("/")
      expect(new URL(visit.page.url()).origin).toBe(stage().origin)
    })

    it("a forged Host header", async () => {
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

/** Captures the first POST of the page, and aborts it. */
async function interceptPost(page: Page, action: () => Promise<void>): Promise<Request> {
  const isPost = (request: Request): boolean => request.method() === "POST"
  await page.route("**", (route) => (isPost(route.request()) ? route.abort() : route.fallback()))
  const aborted = page.waitForEvent("requestfailed", isPost)
  // The action cannot finish, because it gets no response.
  action().catch(() => undefined)
  const post = await aborted
  await page.unroute("**")
  return post
}

/** The headers of a browser for a request from another site. */
const fromElsewhere = { origin: attacker, referer: `${attacker}/`, "sec-fetch-site": "cross-site" }

/** Sends it with the cookies of the visitor and all fields of the page. */
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
