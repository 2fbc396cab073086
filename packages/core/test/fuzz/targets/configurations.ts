import { Auth } from "@latchkey/core"
import type { AuthConfig } from "@latchkey/core/types"
import type { TestHost } from "@latchkey/testkit"
import { type FuzzTarget, fromText, toText } from "../engine/target.js"
import { assertAnswer, home, openFuzzHost } from "../service/fuzz-host.js"
import { linesOf, readChanges, withChange } from "../service/odd-values.js"

const seeds = [
  'session.maxAge=@nan\nsession.strategy="cookie"',
  'secret=["a","a",""]\ntrustHost=false',
  'basePath="/a(b"\npages.signIn="javascript:1"',
  'cookies.sessionToken={"name":"__Host-x","options":{"path":"/a","domain":"evil.test"}}',
  'providers.0.id="__proto__"\nproviders.1.issuer="http://idp.test"',
  'providers.3.authorize=@undefined\nproviders.0.checks=["none"]',
  'theme={"brandColor":"red}</style>","logo":"javascript:1"}\ndebug="yes"',
  'allowedOrigins=["https://*.test/"]\nredirectProxyUrl="//x"',
  'providers.0.__proto__={"polluted":true}\njwt.maxAge="30"',
  "callbacks.redirect=@function\ncallbacks.session=@cycle\nlogger.error=@getter",
  'trustedProxies=["10.0.0.0/99"]\nrateLimit={"budgets":{"signIn":{"limit":0,"windowSeconds":-1}}}',
  "adapter={}\nexperimental=null",
]

const options = [
  "providers",
  "adapter",
  "basePath",
  "secret",
  "callbacks",
  "events",
  "cookies",
  "session",
  "jwt",
  "pages",
  "theme",
  "logger",
  "debug",
  "trustHost",
  "allowedOrigins",
  "useSecureCookies",
  "redirectProxyUrl",
  "trustedProxies",
  "clientAddress",
  "rateLimit",
  "requestLimits",
  "experimental",
  "skipCSRFCheck",
  "raw",
]

const members = [
  ...[
    "id",
    "name",
    "type",
    "issuer",
    "clientId",
    "clientSecret",
    "checks",
    "authorization",
    "token",
    "userinfo",
    "profile",
    "options",
    "client",
  ].map((name) => `providers.0.${name}`),
  ...["authorization", "token", "userinfo", "style", "idToken", "account", "__proto__"].map(
    (name) => `providers.1.${name}`,
  ),
  ...["maxAge", "from", "sendVerificationRequest", "normalizeIdentifier"].map((name) => `providers.2.${name}`),
  ...["credentials", "authorize", "name"].map((name) => `providers.3.${name}`),
  ...["relayingParty", "timeout", "getUserInfo", "formFields"].map((name) => `providers.4.${name}`),
  ...["0", "1", "2"].map((index) => `providers.${index}`),
  ...["strategy", "maxAge", "absoluteMaxAge", "updateAge", "generateSessionToken"].map((name) => `session.${name}`),
  ...["maxAge", "secret", "encode", "decode"].map((name) => `jwt.${name}`),
  ...["signIn", "signOut", "error", "verifyRequest", "newUser"].map((name) => `pages.${name}`),
  ...["signIn", "redirect", "jwt", "session"].map((name) => `callbacks.${name}`),
  ...["signIn", "signOut", "session", "createUser"].map((name) => `events.${name}`),
  ...["error", "warn", "debug", "record"].map((name) => `logger.${name}`),
  ...["brandColor", "buttonText", "colorScheme", "logo"].map((name) => `theme.${name}`),
  ...[
    "sessionToken",
    "csrfToken",
    "callbackUrl",
    "state",
    "sessionToken.name",
    "csrfToken.options",
    "state.options.maxAge",
  ].map((name) => `cookies.${name}`),
  ...["budgets", "store", "whenStoreFails", "account"].map((name) => `rateLimit.${name}`),
]

const values = [
  "null",
  "true",
  "false",
  "[]",
  "{}",
  "-1",
  "0",
  "1e9",
  '""',
  '"x"',
  '"//x"',
  '"https://evil.test"',
  '["none"]',
  '{"__proto__":{"polluted":true}}',
]

/** Requests to a service with a broken configuration. */
const visits = [
  "/auth/session",
  "/auth/signin",
  "/auth/providers",
  "/auth/error?error=Configuration",
  "/auth/csrf",
  "/auth/callback/oidc?code=a&state=b",
]

/** A configuration with values of wrong types, as apps in JavaScript or with configuration files may have. */
export const configurations: FuzzTarget = {
  name: "configurations",
  seeds: () => seeds.map(fromText),
  dictionary: linesOf([...options, ...members], values),
  maxLength: 1_000,
  work: { perByte: 500, perInput: 400_000 },
  async check(input) {
    const host = openFuzzHost()
    const changes = readChanges(toText(input)).filter(({ path: [name = ""] }) => options.includes(name))
    const changed = changes.reduce<unknown>((config, { path, value }) => withChange(config, path, value), host.config)
    const config = changed as AuthConfig // as: invalid configurations are the point of this target
    if (config.raw !== undefined || typeof config.redirectProxyUrl === "string") return // Another contract.
    await withoutConsole(host, async () => {
      for (const path of visits) {
        const response = await Auth(new Request(`${home}${path}`), config)
        await assertAnswer(response, { host, mayFail: true, isAllowedTarget: ({ protocol }) => protocol === "https:" })
      }
      await assertPosts(host, config)
    })
  },
}

const consoleMethods = ["error", "warn", "log"] as const

/** The service logs to the console when the logger is broken. Those lines are searched for secrets too. */
async function withoutConsole(host: TestHost, run: () => Promise<void>): Promise<void> {
  const kept = consoleMethods.map((name) => [name, console[name]] as const)
  for (const name of consoleMethods)
    console[name] = (...words: unknown[]) => host.logger.debug(words.map(String).join(" "), {})
  try {
    await run()
  } finally {
    for (const [name, method] of kept) console[name] = method
  }
}

async function assertPosts(host: TestHost, config: AuthConfig): Promise<void> {
  const issued = await Auth(new Request(`${home}/auth/csrf`), config)
  const cookie = issued.headers
    .getSetCookie()
    .map((each) => each.split(";", 1)[0])
    .join("; ")
  const { csrfToken = "" } = issued.status === 200 ? Object(await issued.json()) : {}
  for (const path of ["/auth/signin/oidc", "/auth/callback/cred", "/auth/signout", "/auth/session"]) {
    const body = new URLSearchParams({ csrfToken: String(csrfToken), u: "v", p: "wrong" })
    const response = await Auth(new Request(`${home}${path}`, { method: "POST", body, headers: { cookie } }), config)
    await assertAnswer(response, { host, mayFail: true, isAllowedTarget: ({ protocol }) => protocol === "https:" })
  }
}
