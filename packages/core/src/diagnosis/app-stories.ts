import type { FailureReason } from "../errors/failure-reason.js"
import { type TellStory, textOf } from "./story.js"

/** Reasons that lie with the app, its store, its mail server, or with what a visitor was mailed. */
type AppReason = Extract<
  FailureReason,
  | `${"link" | "host" | "mail"}-${string}`
  | `passkey-${"handle" | "origin" | "counter"}`
  | "code-guesses"
  | "account-of-another-user"
  | "address-unverified"
  | "sign-in-callback-refused"
  | "rate-limited"
  | "adapter-failed"
  | "callback-threw"
>

const mail = ["Sign-in by email", "Where link and code work"] as const
const hosts = ["The app's public URL", "`UntrustedHost`"] as const

export const appStories: Readonly<Record<AppReason, TellStory>> = {
  "link-spent": () => ({
    sentences: ["The mailed link or code was used before, never existed, or was sent with another secret."],
    fixes: [
      "If it happens at the first use, a mail scanner may follow links with a script, or the store loses verification tokens.",
      "Otherwise nothing has to be mended: the visitor asks for a new one.",
    ],
    guide: mail,
  }),
  "link-expired": () => ({
    sentences: ["The mailed link or code was too old."],
    fixes: [
      "Nothing has to be mended, unless mails arrive late: look at the queue of the mail server, or raise maxAge of the provider.",
    ],
    guide: mail,
  }),
  "link-replaced": () => ({
    sentences: [
      "This browser has no mailed code that can be typed: a newer mail replaced it, it was asked for elsewhere, or the cookie is gone.",
    ],
    fixes: [
      "Nothing has to be mended for one visitor. If it happens to everyone, the processes have different secrets, or a proxy drops cookies.",
    ],
    guide: mail,
  }),
  "code-guesses": (facts) => ({
    sentences: [
      facts["guess"] === undefined
        ? "A mailed code was typed wrong too often, so it no longer works."
        : `A mailed code was typed wrong (guess ${textOf(facts, "guess", "")} of ${textOf(facts, "allowed", "5")}).`,
    ],
    fixes: [
      "Nothing has to be mended: the visitor asks for a new one. Many of them for one address are somebody who guesses.",
    ],
    guide: mail,
  }),
  "account-of-another-user": () => ({
    sentences: [
      "The account or its address belongs to another user than the one who is signed in, or who would be created.",
    ],
    fixes: [
      "The visitor signs in the way they did before, and adds this account in the account area.",
      "allowDangerousEmailAccountLinking links by address, for providers that verify addresses.",
    ],
    guide: ["Accounts and linking"],
  }),
  "address-unverified": () => ({
    sentences: [
      "The account with this address was created without verifying it, so that whoever created it may not own the address.",
    ],
    fixes: ["Its owner signs in the other way first, and then follows a link in the same browser."],
    guide: ["Accounts and linking", "Verified email addresses"],
  }),
  "sign-in-callback-refused": () => ({
    sentences: ["callbacks.signIn refused the user."],
    fixes: ["If the user should be let in, look at callbacks.signIn: every value but true and a path refuses."],
    guide: ["Restrict who can sign in"],
  }),
  "host-untrusted": () => ({
    sentences: [
      "The request was sent to a host that is not trusted, because no address is configured, or the header that names it is invalid.",
    ],
    fixes: [
      "Set AUTH_URL to the app's address, including https://.",
      "If a proxy in front validates the Host header, set AUTH_TRUST_HOST=true instead.",
    ],
    guide: hosts,
  }),
  "host-not-listed": (facts) => ({
    sentences: [`The request was for ${textOf(facts, "host", "a host")}, which allowedOrigins does not list.`],
    fixes: [
      "If the app is served there, add the origin to allowedOrigins. Otherwise somebody sent a foreign host, which was refused.",
    ],
    guide: hosts,
  }),
  "rate-limited": () => ({
    sentences: ["A rate limit was exceeded. The message in the log names the budget."],
    fixes: [
      "If it happens to many visitors at once, all of them share one address: let the framework trust the proxy's X-Forwarded-For (trustedProxies).",
      "rateLimit.budgets raises a limit.",
    ],
    guide: ["Rate limiting", "Client addresses"],
  }),
  "passkey-handle": () => ({
    sentences: ["The passkey names another user than the one it is stored for."],
    fixes: ["If another library registered the passkeys, set acceptForeignUserHandles of the provider to true."],
    guide: ["Passkeys", "Options"],
  }),
  "passkey-origin": (facts) => ({
    sentences: [`The passkey was used at another address than ${textOf(facts, "expected", "the configured one")}.`],
    fixes: [
      "Set relayingParty.origin of the provider to the origins that visitors use, or AUTH_URL to the app's address.",
    ],
    guide: ["Passkeys", "Options"],
  }),
  "passkey-counter": () => ({
    sentences: ["The counter of a security key has not grown, as after a copy of the key, or two sign-ins at once."],
    fixes: ["If it happens again, the user removes the passkey and adds it anew."],
    guide: ["Passkeys", "Guarantees"],
  }),
  "adapter-failed": () => ({
    sentences: ["The store failed while the request was handled. The cause in the log is the error of its driver."],
    fixes: [
      "If a table or a column is missing, migrate the database: npx --no latchkey migrate.",
      "If the connection failed, check the address, the pool and the number of connections.",
    ],
    guide: ["Databases"],
  }),
  "callback-threw": (facts) => ({
    sentences: [`Code of the app threw an error: ${textOf(facts, "callback", "a callback or an event handler")}.`],
    fixes: ["The cause in the log has the error and its place in the code."],
    guide: ["Errors and logging", "Logging errors"],
  }),
  "mail-rejected": (facts) => ({
    sentences: [
      facts["status"] === undefined
        ? "The email could not be sent: the sender's code or the mail server refused it."
        : `The mail server answered with ${textOf(facts, "status", "an error")}.`,
    ],
    fixes: [
      "Check user name and password of the server, and whether it may send from this address (from).",
      "The cause in the log has its answer.",
    ],
    guide: ["Sign-in by email", "Your own email"],
  }),
  "mail-unreachable": () => ({
    sentences: ["The mail server could not be reached, or did not answer in time."],
    fixes: ["Check host and port of the server (587 with STARTTLS, 465 with TLS). Many platforms block port 25."],
    guide: ["Sign-in by email", "Your own email"],
  }),
}
