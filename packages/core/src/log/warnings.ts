import type { WarningCode } from "../types/logger.js"

/** What a warning means, and what to do about it. */
export interface Warning {
  readonly sentence: string
  /** The title of the guide, and the section. The readme of this package lists the guides. */
  readonly guide: Guide
}

/** The title of a guide, and its section. */
export type Guide = readonly [title: string, section?: string]

const security: Guide = ["Security details", "Warnings in the log"]
const configuration: Guide = ["Configuration", "Environment variables"]
const options: Guide = ["Configuration", "Options"]
const rateLimiting: Guide = ["Rate limiting"]
const moving: Guide = ["Sessions that go on"]

/** The warnings that are given. A new code does not compile without a sentence. */
const warnings: Readonly<Record<Exclude<WarningCode, "experimental-webauthn">, Warning>> = {
  "debug-enabled": {
    sentence: "The option `debug` is on, so the log has personal data. Turn it off in production.",
    guide: security,
  },
  "csrf-disabled": {
    sentence: "The option `skipCSRFCheck` is set. Check that your framework protects its forms.",
    guide: security,
  },
  "env-url-basepath-redundant": {
    sentence: "AUTH_URL has a path and `basePath` is set. Remove the path from AUTH_URL.",
    guide: configuration,
  },
  "env-url-basepath-mismatch": {
    sentence: "AUTH_URL has a path other than `basePath`, which is used. Remove the path from AUTH_URL.",
    guide: configuration,
  },
  "env-url-invalid": {
    sentence: "AUTH_URL is ignored: it does not begin with https:// or http://. Correct it.",
    guide: configuration,
  },
  "short-secret": {
    sentence:
      "The secret has fewer than 32 characters, so every request fails in production. Run `openssl rand -base64 33`.",
    guide: security,
  },
  "weak-secret": {
    sentence: "The secret can be guessed, so every request fails in production. Run `openssl rand -base64 33`.",
    guide: security,
  },
  "secret-blank": {
    sentence:
      "The secret ends with a blank or a line end, as files do. A process that reads it without has another secret. Write it with `printf` in place of `echo`.",
    guide: security,
  },
  "insecure-url": {
    sentence:
      "The app's address begins with http://, so anyone on the way can read requests. Serve it over https. If it is, begin AUTH_URL with https://, or let the proxy send X-Forwarded-Proto and the framework trust it.",
    guide: security,
  },
  "address-mismatch": {
    sentence:
      "Forms and styles of the built-in pages do not work then. Correct AUTH_URL, or let the proxy send X-Forwarded-Proto and X-Forwarded-Host and the framework trust them.",
    guide: configuration,
  },
  "host-unconfigured": {
    sentence:
      "No URL is configured, so only requests for localhost are answered. If a proxy is in front, set AUTH_URL to the app's address: mails have links to localhost.",
    guide: configuration,
  },
  "checks-none": {
    sentence: 'A provider has `checks: ["none"]`, so its sign-ins can be forged. Use "pkce", "state" or "nonce".',
    guide: ["OAuth and OpenID Connect"],
  },
  "email-linking-enabled": {
    sentence:
      "A provider has `allowDangerousEmailAccountLinking`. Anyone who controls an address there can sign in to its account.",
    guide: security,
  },
  "email-linking-unproven": {
    sentence: "Accounts are linked by address, but the adapter cannot tell which addresses are verified.",
    guide: ["Accounts and linking", "Verified email addresses"],
  },
  "email-unproven": {
    sentence:
      "The adapter cannot tell which addresses are verified, so whoever signed up first with another person's address stays in the account when its owner signs in by email. Use an adapter with `isEmailVerified`.",
    guide: ["Accounts and linking", "Verified email addresses"],
  },
  "once-per-process": {
    sentence:
      "The adapter lacks `consumeOnce`, so each process counts for itself which sign-ins are completed and how often a mailed code was guessed. Several processes need it.",
    guide: ["Databases", "Stores for tracked sessions, passwords and second factors"],
  },
  "host-code-slow": {
    sentence: "A callback, an event or the adapter is slow, and a sign-in waits. Look for slow calls.",
    guide: options,
  },
  "account-unnamed": {
    sentence: "The form names no account, so guesses are counted by network only. Set `rateLimit.accountOf`.",
    guide: rateLimiting,
  },
  "client-address-unknown": {
    sentence: "The address of clients is unknown, so only accounts and mailboxes are limited. Set `clientAddress`.",
    guide: rateLimiting,
  },
  "proxy-not-trusted": {
    sentence: "All requests come from one private address, such as a proxy's. List it in `trustedProxies`.",
    guide: rateLimiting,
  },
  "proxy-trust-too-wide": {
    sentence:
      "The framework believes X-Forwarded-For of everyone, so clients could choose their address, and it is not used. Let it trust the proxy alone.",
    guide: rateLimiting,
  },
  "option-unknown": {
    sentence: "Unknown options have no effect. Correct the name, or remove it.",
    guide: options,
  },
  "option-ineffective": {
    sentence: "This value cannot be used, so everything works as without it. Correct it.",
    guide: ["Pages, languages and theme"],
  },
  "secret-missing": {
    sentence: "The secret is missing, so every request fails. Set AUTH_SECRET to at least 32 random characters.",
    guide: configuration,
  },
  "tables-missing": {
    sentence: "The database was not migrated. Run `npx --no latchkey migrate` before the app starts.",
    guide: ["Databases"],
  },
  "provider-unusable": {
    sentence: "Sign-ins with this provider are refused until the option is set. All other requests work.",
    guide: ["Errors and logging", "Providers that are not set up"],
  },
  "keys-unsound": {
    sentence:
      "A provider publishes only keys that cannot be used to verify signatures. Sign-ins go on with the former keys for a day.",
    guide: security,
  },
  "redirect-proxy-origins": {
    sentence: "Without `allowedOrigins`, a redirect proxy forwards no callbacks. List the origins of your apps.",
    guide: security,
  },
  "large-session": {
    sentence: "A session nearly fills its cookies. Put less into the token that callbacks.jwt returns.",
    guide: security,
  },
  "session-not-adopted": {
    sentence:
      "A session without a record was refused: its token is not from before `session.track`. Set `adopt` to a date.",
    guide: ["Sessions", "Sessions that users see and end"],
  },
  "accept-over": {
    sentence: "The time of a reader in `session.accept` is over, so it accepts no more sessions. Remove it.",
    guide: moving,
  },
  "accept-user-unknown": {
    sentence:
      "A session of another library names a user that the adapter does not have, so it was not accepted. Keep the ids of users when you move them, or set `subject` or `owner` of the reader.",
    guide: moving,
  },
  "accept-memory": {
    sentence:
      "The adapter cannot keep which sessions of another library were taken over: after a sign-out, a copy of such a cookie works again in other processes and after a restart. Use an adapter with `consumeOnce`, `takeLease` and `dropLease`.",
    guide: moving,
  },
  "session-of-other-secret": {
    sentence:
      "A session cookie was encrypted with another secret, so it was removed. Give all processes of the app the same AUTH_SECRET, and other apps on this host, whatever their port, another cookies.sessionToken.name.",
    guide: security,
  },
  "picture-left-out": {
    sentence:
      "A user's picture is a data: URL that does not fit into a session cookie, so it was left out. Let profile return a URL, or store sessions in a database.",
    guide: security,
  },
  "cookies-full": {
    sentence: "The cookies of a browser would be larger than servers accept, so one was left out.",
    guide: security,
  },
  "session-callback-empty": {
    sentence: "The session callback returns nothing, so clients see no session. Add `return session`.",
    guide: security,
  },
  "mail-withheld": {
    sentence: "A mail was not sent: there were too many for its address, network or user.",
    guide: rateLimiting,
  },
  "notice-not-sent": {
    sentence:
      "A user was not told that their ways to sign in changed, because nothing sends mails. Set accountArea({ mail }), add an email provider that sends whole mails, or set securityNotices: false.",
    guide: ["Sign-in by email", "Notices"],
  },
  "user-field-lost": {
    sentence:
      "The adapter did not keep what a new user answered at sign-up: it has no columns for it. Add those that fields and terms of Passwords name, or remove these options.",
    guide: ["Passwords", "Own fields and terms"],
  },
  "breached-list-unavailable": {
    sentence: "The list of breached passwords did not answer. It is asked again at the next sign-in.",
    guide: ["Passwords", "Breached passwords"],
  },
}

/** What a warning means, what to do, and the guide that says more. */
export function describeWarning(code: WarningCode): string {
  const { sentence, guide } = explainWarning(code)
  const [title, section] = guide
  const place = section === undefined ? "" : `, section "${section}"`
  return `${sentence && `${sentence} `}See the guide "${title}"${place}.`
}

/** The sentence of a warning, empty for a code of another version, and its guide. */
export function explainWarning(code: WarningCode): Warning {
  // Apps in plain JavaScript can warn with a code of another version.
  return new Map<string, Warning>(Object.entries(warnings)).get(code) ?? { sentence: "", guide: security }
}
