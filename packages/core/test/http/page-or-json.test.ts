import { accountArea } from "@latchkey/core/account-area"
import { nativeApps } from "@latchkey/core/native-apps"
import { providerLogout } from "@latchkey/core/provider-logout"
import { testEmail } from "@latchkey/testkit"
import { beforeAll, describe, expect, it } from "vitest"
import { getService } from "../../src/auth.js"
import { authActions } from "../../src/types/basics.js"
import { clients } from "../setup/native-setup.js"
import { address, openPasswords } from "../setup/password-setup.js"
import { type Answer, ask, type TestRequestOptions } from "../setup/requests.js"
import { cookiesOf } from "../setup/tracked-setup.js"

type Format = "page" | "json"

/** What each `Accept` header prefers. Null: nothing, so that the rest of the request decides. */
const preferred: readonly (readonly [accept: string | undefined, Format | null])[] = [
  [undefined, null],
  ["", null],
  ["*/*", null],
  ["image/png", null],
  ["text/html, application/json", null],
  ["text/html;q=0.5, application/json;q=0.5", null],
  ["application/json", "json"],
  ["Application/JSON; charset=utf-8", "json"],
  ["application/json, text/plain, */*;q=0.5", "json"],
  ["text/html;q=0.8, application/json;q=0.9", "json"],
  ["application/*, text/*;q=0.1", "json"],
  ["text/html;q=0, */*", "json"],
  ["text/html", "page"],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", "page"],
  ["application/json;q=0.4, text/html;q=0.5", "page"],
  ["text/*;q=0.2, application/json;q=0.1", "page"],
  ["application/json;q=0, */*;q=0.1", "page"],
]

/** A text that no JSON may repeat. Pages show it in the form that it was typed into. */
const typed = "typed-by-the-visitor"

type Fields = Readonly<Record<string, string>>

interface Sent {
  readonly name: string
  /** The format without a preference. */
  readonly format: Format
  /** Whether redirects become JSON, as in the contract. */
  readonly isRedirectAsJson?: boolean
  options(fields: Fields): TestRequestOptions
}

const header = { "x-auth-return-redirect": "1" }
const sent: { readonly GET: readonly Sent[]; readonly POST: readonly [Sent, Sent, Sent] } = {
  GET: [
    { name: "GET", format: "page", options: () => ({}) },
    { name: "GET with the header", format: "json", isRedirectAsJson: true, options: () => ({ headers: header }) },
  ],
  POST: [
    { name: "POST of a form", format: "page", options: (form) => ({ form }) },
    { name: "POST of JSON", format: "json", options: (json) => ({ json }) },
    {
      name: "POST of a form with the header",
      format: "json",
      isRedirectAsJson: true,
      options: (form) => ({ form, headers: header }),
    },
  ],
}

/** Routes with one format for every client, by its name in the code. A new one needs a reason here. */
const fixed: Readonly<Record<string, "json" | "own">> = {
  "account/style.css": "own", // A stylesheet.
  "second-factor/page.js": "own", // A script.
  "second-factor/style.css": "own", // A stylesheet.
  "native/token": "json", // RFC 6749 section 5.
  "backchannel-logout/*": "own", // OpenID Connect Back-Channel Logout 1.0 section 2.8.
  "frontchannel-logout/*": "own", // For a frame of the provider.
}

function openEverything() {
  return openPasswords({
    hasSecondFactor: true,
    accountArea: accountArea(),
    nativeApps: nativeApps({ clients }),
    providerLogout: providerLogout({ backchannel: true, frontchannel: true }),
    others: [testEmail({ code: true })],
    rateLimit: false,
  })
}

const routes = Object.entries(getService(openEverything().host.config).featureRoutes)
/** What a `*` of a path stands for. */
const segments = ["totp", "enroll", "password"]
const toPaths = (route: string): readonly string[] =>
  route.endsWith("*") ? segments.map((segment) => route.replace("*", segment)) : [route]

let opened: ReturnType<typeof openEverything>
let signedIn: { readonly cookie: string; readonly csrfToken: string }

beforeAll(async () => {
  opened = openEverything()
  const browser = await opened.signUp()
  const csrfToken = await browser.csrfToken()
  signedIn = { cookie: cookiesOf(browser), csrfToken }
})

const signedOut = { cookie: "", csrfToken: "none" }

interface Request {
  readonly path: string
  readonly method: "GET" | "POST"
  readonly sent: Sent
  readonly accept: string | undefined
  readonly visitor: { readonly cookie: string; readonly csrfToken: string }
}

function* requestsTo(route: string, method: "GET" | "POST"): Generator<Request & { readonly wanted: Format | null }> {
  for (const path of toPaths(route)) {
    for (const visitor of [signedIn, signedOut]) {
      for (const each of sent[method]) {
        for (const [accept, wanted] of preferred) yield { path, method, sent: each, accept, visitor, wanted }
      }
    }
  }
}

function answerTo({ path, method, sent, accept, visitor }: Request): Promise<Answer> {
  const { cookie, csrfToken } = visitor
  const fields = { csrfToken, action: typed, code: typed, email: typed, password: typed, ticket: typed, token: typed }
  const options = sent.options(fields)
  const headers = { ...options.headers, ...(accept !== undefined && { accept }) }
  return ask(opened.host, `/auth/${path}`, { ...options, method, cookie, headers })
}

/** The rule. */
function assertAnswer(answer: Answer, format: Format, { isRedirectAsJson = false }: Partial<Sent>): void {
  const { status, headers, location, text } = answer
  expect(headers.get("cache-control")).toContain("no-store")
  const isJson = headers.get("content-type") === "application/json"
  if (format === "json") {
    expect([isJson, location]).toEqual([true, null])
    expect(text).not.toContain(typed)
    return
  }
  const isRedirect = status === 302 && location !== null
  const isRedirectTarget = isRedirectAsJson && isJson && Object.keys(Object(answer.json())).join() === "url"
  const isPage = headers.get("content-type") === "text/html; charset=utf-8"
  expect(isPage || isRedirect || isRedirectTarget, text).toBe(true)
}

/** Whether a route shows pages, so that it answers HEAD. */
function hasPage(route: string): boolean {
  return fixed[route] === undefined && routes.some(([path, methods]) => path === route && "GET" in Object(methods))
}

/** What HEAD and GET have in common. */
const summarize = ({ status, headers, location }: Answer): readonly unknown[] => [
  status,
  headers.get("content-type"),
  location === null,
]

const refusedHead = [400, "application/json", true]

/** The answer depends on the request, and the JSON of an error names its type. */
function assertNegotiated(answer: Answer): void {
  expect(answer.headers.get("vary")).toBe("Accept, X-Auth-Return-Redirect")
  if (answer.status < 400 || answer.headers.get("content-type") !== "application/json") return
  const { error, code } = Object(answer.json())
  expect(error).toMatch(/^[A-Z][A-Za-z]+$/)
  if (code !== undefined) expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/)
}

describe("a route beyond the contract", () => {
  describe.each(routes.filter(([route]) => fixed[route] !== "own"))("%s", (route) => {
    const isFixed = fixed[route] === "json"

    it.each(["GET", "POST"] as const)("answers %s with the format that the request asks for", async (method) => {
      for (const { wanted, ...request } of requestsTo(route, method)) {
        const answer = await answerTo(request)
        expect(answer.status).toBeLessThan(500)
        assertAnswer(answer, isFixed ? "json" : (wanted ?? request.sent.format), request.sent)
        if (!isFixed) assertNegotiated(answer)
      }
    })

    it.each(["*/*", "text/html", "application/json"])(
      "answers HEAD with %s for a page as GET would be",
      async (accept) => {
        const sent = [signedIn, signedOut].flatMap(({ cookie }) => toPaths(route).map((path) => ({ path, cookie })))
        for (const { path, cookie } of sent) {
          const options = { cookie, headers: { accept } }
          const head = await ask(opened.host, `/auth/${path}`, { ...options, method: "HEAD" })
          const wanted = hasPage(route) ? summarize(await ask(opened.host, `/auth/${path}`, options)) : refusedHead
          expect([head.cookies.size, summarize(head)]).toEqual([0, wanted])
          expect(head.text).toBe(hasPage(route) ? "" : '"Bad request."')
        }
      },
    )

    it("refuses a form or JSON without the CSRF token, whatever it accepts", async () => {
      const [page, json] = sent.POST
      for (const path of toPaths(route)) {
        for (const each of [page, json]) {
          const visitor = { ...signedIn, csrfToken: "forged" }
          const { status } = await answerTo({ path, method: "POST", sent: each, accept: "application/json", visitor })
          expect([400, 403, 404, 405]).toContain(status)
        }
      }
    })
  })

  it("has a format of its own for every client only if a standard or a file demands it", () => {
    const declared = routes.filter(([, methods]) => "format" in methods)
    expect(Object.fromEntries(declared.map(([route, methods]) => [route, Object(methods).format]))).toEqual(fixed)
  })

  it("answers HEAD for its stylesheets and scripts, and with 400 for what a provider calls", async () => {
    const statuses = []
    const files = ["account/style.css", "second-factor/style.css", "second-factor/page.js"]
    for (const path of [...files, "frontchannel-logout/oidc", "backchannel-logout/oidc"])
      statuses.push((await ask(opened.host, `/auth/${path}`, { method: "HEAD" })).status)
    expect(statuses).toEqual([200, 200, 200, 400, 400])
  })

  it("answers an app with a token in JSON, whatever it accepts", async () => {
    for (const accept of ["*/*", "text/html"]) {
      const headers = { authorization: "Bearer latchkey_x", accept }
      const answer = await ask(opened.host, "/auth/account/sessions", { headers })
      expect([answer.status, answer.json()]).toEqual([401, { error: "SignedOut" }])
    }
  })

  it("reads an address that is wrong as its page does", async () => {
    const path = "/auth/account?callbackUrl=javascript:alert(1)"
    const page = await ask(opened.host, path, { headers: { accept: "text/html" } })
    expect(page.headers.get("content-type")).toContain("text/html")
    const json = await ask(opened.host, path, { headers: { accept: "application/json" } })
    expect(json.headers.get("content-type")).toBe("application/json")
  })
})

describe("the pages of mailed codes", () => {
  const token = "f".repeat(64)

  it.each(["verify-request?provider=email&type=email", `callback/email?token=${token}&email=${address}`])(
    "answer GET %s with the format that the request asks for",
    async (path) => {
      for (const each of sent.GET) {
        for (const [accept, wanted] of preferred) {
          const answer = await answerTo({ path, method: "GET", sent: each, accept, visitor: signedOut })
          assertAnswer(answer, wanted ?? each.format, {})
          expect(answer.headers.get("vary")).toBe("Accept, X-Auth-Return-Redirect")
        }
      }
    },
  )
})

describe("the error page", () => {
  it("answers clients that prefer JSON with the sentence, and all others with the page", async () => {
    for (const each of sent.GET) {
      for (const [accept, wanted] of preferred) {
        const path = "error?error=AccessDenied"
        const answer = await answerTo({ path, method: "GET", sent: each, accept, visitor: signedOut })
        const isJson = answer.headers.get("content-type") === "application/json"
        expect([accept, isJson]).toEqual([accept, wanted === "json"])
        expect(answer.headers.get("cache-control")).toContain("no-store")
        if (isJson) expect(JSON.parse(answer.text)).toEqual({ message: expect.stringMatching(/^[A-Z].*[.]$/s) })
      }
    }
  })
})

describe("a route of the contract", () => {
  const withPages = new Set(["error", "verify-request"])
  const paths = [
    ...authActions.filter((action) => !withPages.has(action)),
    ...["signin/email", "signin/unknown", "callback/password", "callback/unknown", "webauthn-options/unknown"],
    ...["style.css", "webauthn.js", "unknown/path"],
  ]

  /** What differs between two answers to the same request. */
  const mask = (text: string) =>
    text.replace(/\b[0-9a-f]{64}\b/g, "token").replace(/\b[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{2}\b/g, "reference")

  it.each(paths)("answers /%s the same whatever the request accepts", async (path) => {
    for (const method of ["GET", "POST"] as const) {
      for (const each of sent[method]) {
        const visitor = { ...signedOut, cookie: "" }
        const all = new Set<string>()
        for (const [accept] of preferred) {
          // An unknown path is answered with a page in a browser.
          if (path === "unknown/path" && accept?.includes("text/html")) continue
          const { status, headers, location, text } = await answerTo({ path, method, sent: each, accept, visitor })
          const seen = [status, headers.get("content-type"), headers.get("vary"), location, text]
          all.add(mask(JSON.stringify(seen)))
        }
        expect([...all]).toHaveLength(1)
      }
    }
  })
})
