import type { FailureFacts, FailureReason } from "../errors/failure-reason.js"
import { durationOf, type TellStory, tellOthers, tellStart, textOf } from "./story.js"

/** Reasons why the answer of a provider, a form or a session does not belong to this browser. */
type FlowReason = Extract<
  FailureReason,
  `${"flow" | "state" | "form" | "session"}-${string}` | "pkce-missing" | "nonce-wrong"
>

const signIn = ["How a sign-in works", "With an identity provider"] as const
const proxies = ["Proxies", "If it does not work"] as const
const rotation = ["Sessions", "Rotating the secret"] as const
const oneSecret = "Give all processes of the app the same AUTH_SECRET, and other apps on this host other cookie names."
const startAgain = "Nothing has to be mended for one visitor: signing in again works."

export const flowStories: Readonly<Record<FlowReason, TellStory>> = {
  "flow-other-host": (facts) => ({
    sentences: [
      ...tellStart(facts),
      `It began at ${textOf(facts, "from", "another host of this service")}. The provider sent the visitor back to ${describeReturn(facts)}, where the cookies of the sign-in do not exist.`,
      ...tellOthers(facts),
    ],
    fixes: [
      ...(isOtherScheme(facts)
        ? ["Redirect http to https before people sign in, and let the proxy always send X-Forwarded-Proto."]
        : []),
      `Use one host: redirect all others to it before people sign in, and set AUTH_URL to its address.`,
      `Register the callback URL of that host alone at the provider.`,
    ],
    guide: proxies,
  }),
  "flow-other-client": (facts) => ({
    sentences: [
      ...tellStart(facts),
      "It began with another client ID, issuer or callback address than the provider has now in the configuration.",
    ],
    fixes: [
      "If you have just changed the client, nothing has to be mended: signing in again works.",
      "If the configuration is a function, let it return the same clientId and issuer when a sign-in begins and when it returns.",
    ],
    guide: ["OAuth and OpenID Connect", "Checks"],
  }),
  "flow-expired": (facts) => ({
    sentences: [
      ...tellStart(facts),
      `It may take ${durationOf(facts, "allowedSeconds") ?? "15 minutes"}. The visitor stayed at the provider for longer, or came back to an old tab.`,
    ],
    fixes: [startAgain, "If it happens to everyone at once, check the clocks of the servers."],
    guide: signIn,
  }),
  "flow-replaced": (facts) => ({
    sentences: [
      ...tellStart(facts),
      "Later sign-ins of the same browser took its place: a browser keeps the cookies of a few of them.",
      ...tellOthers(facts),
    ],
    fixes: [
      "Look for a page or a script that begins sign-ins without being asked, such as a redirect to the sign-in page for every image.",
      "requestLimits.flows allows more at once.",
    ],
    guide: ["requestLimits"],
  }),
  "flow-completed": (facts) => ({
    sentences: [
      ...tellStart(facts),
      "The sign-in was completed before. Somebody opened its callback again, such as with Back or from the history.",
    ],
    fixes: [startAgain, "If no one was signed in the first time, look for a scanner or a proxy that repeats requests."],
    guide: signIn,
  }),
  "flow-cookies-missing": (facts) => ({
    sentences: [
      ...tellStart(facts),
      "The browser came back without the cookies that the sign-in had set.",
      ...tellOthers(facts),
    ],
    fixes: [
      "If it happens to everyone, look whether a proxy drops or merges Set-Cookie headers, or serves the app under another host or over http.",
      "If it happens to some, their browser refuses cookies, or they opened the provider in one browser and the callback in another, such as from an app.",
    ],
    guide: proxies,
  }),
  "flow-other-browser": (facts) => ({
    sentences: [...tellStart(facts), "Another browser began it, and its cookies were copied to this one."],
    fixes: [
      "If nobody tests with copied cookies, somebody may have tried to sign a visitor in to a foreign account. It was refused.",
    ],
    guide: ["Security details", "Cookies"],
  }),
  "state-missing": () => ({
    sentences: ["The provider sent the visitor back without the state of the sign-in."],
    fixes: [
      "Look whether a proxy or a rewrite drops the query of the callback.",
      "If the provider starts sign-ins itself, link to your sign-in page from there instead.",
    ],
    guide: ["OAuth and OpenID Connect", "Checks"],
  }),
  "state-repeated": () => ({
    sentences: ["The callback had more than one state, so that it is unclear which sign-in it answers."],
    fixes: ["Look whether a proxy or a rewrite repeats the query of the callback."],
    guide: ["OAuth and OpenID Connect", "Checks"],
  }),
  "state-altered": () => ({
    sentences: [
      "The state of the callback, or the cookie of it, is not as this service wrote it: it was cut, changed or made up.",
    ],
    fixes: [
      "If it happens at one provider alone, its answer changes the state: report it there.",
      "If it happens at random addresses, somebody tries forged callbacks. They are refused.",
    ],
    guide: ["OAuth and OpenID Connect", "Checks"],
  }),
  "state-other-secret": () => ({
    sentences: ["The sign-in began in a process with another secret, or before the secret was changed."],
    fixes: [oneSecret, "When you change the secret, keep the old one as the second: secret: [new, old]."],
    guide: rotation,
  }),
  "pkce-missing": (facts) => ({
    sentences: [
      ...tellStart(facts),
      "The cookie with the code verifier or the nonce of the sign-in is missing, although the one with its state came.",
    ],
    fixes: [
      "Look whether a proxy limits the number or the size of cookies, or drops some of several Set-Cookie headers.",
    ],
    guide: ["Proxies", "Large cookies"],
  }),
  "nonce-wrong": () => ({
    sentences: ["The nonce of the ID token is not the one that was sent, or none was sent."],
    fixes: [
      'If checks of the provider has no "nonce", add it: some providers send a nonce of their own otherwise.',
      "If it happens at every sign-in although a nonce was sent, the provider does not return it: report it there.",
    ],
    guide: ["OAuth and OpenID Connect", "Checks"],
  }),
  "form-token-missing": (facts) => ({
    sentences: [
      facts["method"] === undefined
        ? "A form came without its CSRF token, or the browser without the cookie that belongs to it."
        : `It was asked for by ${textOf(facts, "method", "GET")}, which any link can cause.`,
    ],
    fixes: [
      "A form of your own needs the field csrfToken with the value of GET /csrf, or the signIn function of the client.",
      "If the built-in pages are refused too, a proxy drops Set-Cookie, or serves the app over http while AUTH_URL begins with https.",
    ],
    guide: ["Security details", "Forms"],
  }),
  "form-token-foreign": (facts) => ({
    sentences: [
      facts["isSealed"] === true
        ? "The CSRF cookie was issued with another secret: by another process or app on this host, or before the secret was changed."
        : "The CSRF token of the form does not belong to the cookie of the browser.",
    ],
    fixes: [oneSecret, "If one visitor had the page open for long, reloading it is enough."],
    guide: ["Security details", "Forms"],
  }),
  "form-other-origin": (facts) => ({
    sentences: [
      `The form came from ${textOf(facts, "from", "another origin")}, but the service takes itself to be at ${textOf(facts, "host", "another host")}.`,
    ],
    fixes: [
      "If both are your app, let the proxy send X-Forwarded-Host and X-Forwarded-Proto, or set AUTH_URL to the address that visitors use.",
      "If the first is another site, it tried to send a form in a visitor's name. It was refused.",
    ],
    guide: proxies,
  }),
  "session-other-secret": () => ({
    sentences: ["The session cookie was encrypted with another secret, so the visitor counts as signed out."],
    fixes: [
      oneSecret,
      "When you change the secret, keep the old one as the second until session.maxAge has passed: secret: [new, old].",
    ],
    guide: rotation,
  }),
  "session-altered": () => ({
    sentences: ["The session cookie is not as this service wrote it: it was cut, joined wrongly or changed."],
    fixes: [
      "Look whether a proxy limits the size of request headers: then a part of a large session is missing.",
      "If the cookie is that of another library, its name has to be another one (cookies.sessionToken.name).",
    ],
    guide: ["Proxies", "Large cookies"],
  }),
  "session-expired": () => ({
    sentences: [
      "The session was over. Browsers remove such a cookie by themselves, so the clock of this one or of the server is wrong, or it was copied.",
    ],
    fixes: ["Check the clocks of the servers. session.maxAge says how long sessions last."],
    guide: ["Sessions", "Lifetime"],
  }),
  "session-too-large": (facts) => ({
    sentences: [
      `The session would have ${textOf(facts, "characters", "more")} characters, and its cookies may have ${textOf(facts, "allowed", "fewer")}.`,
    ],
    fixes: [
      "Put less into the token that callbacks.jwt returns: ids in place of objects.",
      'Or store sessions in a database: session: { strategy: "database" }.',
    ],
    guide: ["Cookies", "Size"],
  }),
}

/** Whether a sign-in began at the same host, but over http instead of https or the reverse. */
function isOtherScheme({ from, host }: FailureFacts): boolean {
  return typeof from === "string" && host !== "" && from.endsWith(`//${host}`)
}

function describeReturn(facts: FailureFacts): string {
  const host = textOf(facts, "host", "this one")
  if (!isOtherScheme(facts)) return host
  return `${String(facts["from"]).startsWith("https:") ? "http" : "https"}://${host}`
}
