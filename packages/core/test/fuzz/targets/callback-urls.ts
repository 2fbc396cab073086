import { createCallbackUrls } from "../../../src/checks/callback-url.js"
import { resolveCallbacks } from "../../../src/host/callbacks.js"
import { encodeCookieValue } from "../../../src/http/cookies.js"
import { resolveCookies } from "../../../src/http/own-cookies.js"
import { withQuery } from "../../../src/http/response.js"
import { toOneLine } from "../../../src/log/console.js"
import { createLog } from "../../../src/log/log.js"
import { type FuzzTarget, fromText, promise, toText } from "../engine/target.js"

const home = "https://app.test"
const silent = { error: () => {}, warn: () => {}, debug: () => {} }
const cookie = resolveCookies(undefined, { isSecure: true }).callbackUrl
const callbackUrls = createCallbackUrls(cookie, resolveCallbacks({}), createLog(silent))
/** A redirect callback that allows everything: the check after it must hold alone. */
const careless = createCallbackUrls(cookie, resolveCallbacks({ redirect: ({ url }) => url }), createLog(silent))

/** The URL to return to after a sign-in. */
export const callbackAddresses: FuzzTarget = {
  name: "callback-addresses",
  seeds: () =>
    [
      "/in?a=b#c",
      "https://app.test/x",
      "//evil.test",
      "https://app.test@evil.test",
      "/\\evil.test",
      "blob:https://app.test/1",
      "javascript:1",
    ].map(fromText),
  dictionary: [
    "https://",
    "http:",
    "//",
    "\\",
    "/",
    "app.test",
    "evil.test",
    "@",
    ":443",
    "\t",
    "\n",
    "%0d%0a",
    "%5c",
    "blob:",
    "javascript:",
    "data:",
    "?",
    "#",
    "..",
    "\u2028",
    "\u00e9",
    "u:p@",
  ],
  maxLength: 2_048,
  work: { perByte: 20, perInput: 5_000 },
  async check(input) {
    const text = toText(input)
    const target = await callbackUrls.check(text, home)
    promise(new URL(target, `${home}/auth/x`).origin === home, "a redirect stays on this origin")
    assertPlain(target)
    assertPlain(await careless.check(text, home))
    const page = withQuery("/login?x=1#top", { callbackUrl: text, error: text })
    promise(
      new URL(page, home).searchParams.getAll("callbackUrl").join() === text.toWellFormed(),
      "a query is one value",
    )
    promise(/^[\x21-\x7e]*$/.test(encodeCookieValue(text.toWellFormed())), "a cookie is plain ASCII")
    promise(!/[\p{Cc}\u2028\u2029]/u.test(toOneLine(text)), "a line of the log stays one line")
  },
}

/** Fails on parts of a URL that browsers interpret differently. */
function assertPlain(target: string): void {
  const url = new URL(target, home)
  // A scheme with a dot is that of a native app, which the host's callback may return.
  promise(/^(?:https?|[^.:]+\.[^:]+):$/.test(url.protocol), "a target has http, https or the scheme of an app")
  promise(`${url.username}${url.password}` === "", "a target has no user name or password")
  promise(/^[\x21-\x5b\x5d-\x7e]+$/.test(target), "a target has no backslash, space or control character")
}
