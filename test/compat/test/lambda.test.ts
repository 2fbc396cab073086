import { createRequire } from "node:module"
import { auth, ExpressAuth } from "@latchkey/express"
import { KoaAuth } from "@latchkey/koa"
import { integrationConfig, integrationUser } from "@latchkey/testkit/integration"
import express from "express"
import Koa from "koa"
import serverlessHttp from "serverless-http"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"

// What the two usual adapters make of an event of AWS Lambda: headers with numbers, and a request without a connection.

/** A response of a function, in the payload format 2.0 of API Gateway and of function URLs. */
interface Result {
  readonly statusCode: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: readonly string[]
  readonly body?: string
  readonly isBase64Encoded?: boolean
}

type LambdaHandler = (event: object, context: object) => Promise<Result>

interface Sent {
  readonly method?: string
  readonly path: string
  readonly cookies?: readonly string[]
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

const host = "abc.lambda-url.eu-west-1.on.aws"

function toEvent({ method = "GET", path, cookies = [], form, headers }: Sent): object {
  const body = form && Buffer.from(new URLSearchParams(form).toString())
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: path,
    rawQueryString: "",
    cookies,
    headers: {
      host,
      "x-forwarded-proto": "https",
      "x-forwarded-for": "198.51.100.7",
      ...(body && {
        "content-type": "application/x-www-form-urlencoded",
        "content-length": String(body.length),
        origin: `https://${host}`,
      }),
      ...headers,
    },
    requestContext: {
      accountId: "anonymous",
      apiId: "abc",
      domainName: host,
      http: { method, path, protocol: "HTTP/1.1", sourceIp: "198.51.100.7", userAgent: "test" },
      stage: "$default",
    },
    ...(body && { body: body.toString("base64") }),
    isBase64Encoded: body !== undefined,
  }
}

const read = ({ body = "", isBase64Encoded }: Result): string =>
  isBase64Encoded ? Buffer.from(body, "base64").toString() : body

/** What API Gateway sends as `Set-Cookie`: one adapter passes a single cookie as a header. */
const setCookies = ({ cookies = [], headers = {} }: Result): string[] => {
  const { "set-cookie": single } = headers
  return single === undefined ? [...cookies] : [...cookies, single]
}

/** The names and values that a browser sends back. */
const received = (result: Result): string[] => setCookies(result).map((line) => line.split(";", 1)[0] ?? "")

// as: the package has no types
const vendia = createRequire(import.meta.url)("@vendia/serverless-express") as (options: {
  readonly app: unknown
}) => LambdaHandler

const adapters: Readonly<Record<string, (app: never) => LambdaHandler>> = {
  "serverless-http": (app) => {
    const handle = serverlessHttp(app)
    return async (event, context) => (await handle(event, context)) as Result // as: what API Gateway expects
  },
  "@vendia/serverless-express": (app) => vendia({ app }),
}

/** The app states its address with `AUTH_URL`. */
function createConfig() {
  const { trustHost: _, ...config } = integrationConfig()
  return config
}

const apps: Readonly<Record<string, () => unknown>> = {
  Express() {
    const config = createConfig()
    const app = express().use("/auth", ExpressAuth(config))
    return app.get("/", async (req, res) => void res.send((await auth(req, res, config).getSession())?.user?.name))
  },
  "Express with a body parser"() {
    const parser = express.urlencoded({ extended: false })
    return express().use(parser).use("/auth", ExpressAuth(createConfig()))
  },
  Koa() {
    return new Koa().use(KoaAuth(createConfig()))
  },
}

beforeAll(() => {
  vi.stubEnv("AUTH_URL", `https://${host}/auth`)
})
afterAll(() => {
  vi.unstubAllEnvs()
})

describe.each(Object.keys(adapters))("AWS Lambda through %s", (name) => {
  describe.each(Object.keys(apps))("with %s", (appName) => {
    const { [name]: adapt, [appName]: create } = { ...adapters, ...apps } as Record<string, (app?: unknown) => unknown>
    const handler = adapt?.(create?.()) as LambdaHandler // as: the names are those of the tables
    const send = (sent: Sent): Promise<Result> => handler(toEvent(sent), {})

    async function signIn(password: string) {
      const csrf = await send({ path: "/auth/csrf" })
      const { csrfToken } = JSON.parse(read(csrf))
      const form = { username: integrationUser.username, password, csrfToken, callbackUrl: "/private" }
      return send({ method: "POST", path: "/auth/callback/credentials", cookies: received(csrf), form })
    }

    it("signs in with a form, and reads the session", async () => {
      const answer = await signIn(integrationUser.password)
      expect([answer.statusCode, answer.headers?.["location"]]).toEqual([302, `https://${host}/private`])
      expect(setCookies(answer).some((line) => /^__Secure-authjs\.session-token=.*Secure/i.test(line))).toBe(true)
      const session = await send({ path: "/auth/session", cookies: received(answer) })
      expect(JSON.parse(read(session))?.user?.name).toBe(integrationUser.name)
    })

    it("refuses a wrong password, and a body over the limit", async () => {
      const wrong = await signIn("wrong")
      expect(received(wrong).some((line) => line.startsWith("__Secure-authjs.session-token="))).toBe(false)
      const form = { csrfToken: "a".repeat(200_000) }
      const tooLong = await send({ method: "POST", path: "/auth/callback/credentials", form })
      expect(tooLong.statusCode).toBe(413)
    })

    it("shows the sign-in page", async () => {
      const page = await send({ path: "/auth/signin", headers: { accept: "text/html" } })
      expect([page.statusCode, read(page).includes("<form")]).toEqual([200, true])
    })
  })
})
