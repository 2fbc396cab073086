// What the features on their own subpaths add to the reference: the options of their factories, their endpoints, cookies
// and errors. The build fails if the code has an endpoint or a cookie that no text below describes.
import { readClasses, readInterface } from "./declarations.mjs"
import { prose, table } from "./tables.mjs"

const guide = (text, path) => `[${text}](../${path}.md)`

const accountGuide = guide("Account area", "guides/account-area")
const passwordGuide = guide("Passwords", "guides/passwords")

/** `own`: where the options are, as file, interface and the path that errors name. */
const features = [
  {
    title: "session.track: trackSessions()",
    from: "sessions",
    own: ["features/tracked-sessions/track-sessions.ts", "TrackSessionsOptions", "session.track"],
    guide: guide("Sessions that users see and end", "guides/sessions"),
  },
  {
    title: "secondFactors: secondFactors()",
    from: "second-factors",
    own: ["features/second-factors/second-factors.ts", "SecondFactorOptions", "secondFactors"],
    others: [
      ["features/second-factors/devices.ts", "RememberOptions", "secondFactors.remember"],
      ["features/second-factors/totp.ts", "TotpOptions", "totp()"],
    ],
    guide: guide("Second factors", "guides/second-factors"),
  },
  {
    title: "accountArea: accountArea()",
    from: "account-area",
    own: ["features/account-area/area.ts", "AccountAreaOptions", "accountArea"],
    guide: accountGuide,
  },
  {
    title: "accessTokens: accessTokens()",
    from: "access-tokens",
    own: ["features/access-tokens/keep-tokens.ts", "AccessTokensOptions", "accessTokens"],
    guide: guide("Access tokens of providers", "guides/tokens"),
  },
  {
    title: "providerLogout: providerLogout()",
    from: "provider-logout",
    own: ["features/provider-logout/provider-logout.ts", "ProviderLogoutOptions", "providerLogout"],
    guide: guide("Signing out at the provider", "guides/logout"),
  },
  {
    title: "nativeApps: nativeApps()",
    from: "native-apps",
    own: ["features/native-apps/native-apps.ts", "NativeAppsOptions", "nativeApps"],
    others: [["features/native-apps/clients.ts", "NativeClient", "nativeApps.clients[]"]],
    guide: guide("Native apps", "guides/native-apps"),
  },
  {
    title: "languages: languages()",
    from: "languages",
    own: ["features/languages/languages.ts", "LanguagesOptions", "languages"],
    guide: guide("Pages, languages and theme", "guides/pages"),
  },
  {
    title: "providers: Passwords()",
    from: "providers/passwords",
    own: ["methods/password/options.ts", "PasswordsOptions", "providers.password"],
    others: [["methods/password/argon2id.ts", "Argon2idOptions", "argon2id()"]],
    guide: passwordGuide,
  },
]

/** The options of each factory. The headings are the paths that an `InvalidConfiguration` names. */
export function describeFactoryOptions() {
  return features.map(({ title, from, own, others = [], guide: page }) => {
    const sections = [own, ...others].flatMap(([file, type, path]) =>
      readInterface(file, type).members.map((member) => describeOption(member, path)),
    )
    return [`## ${title}`, `Import it from \`@latchkey/core/${from}\`. ${page} explains it.`, ...sections].join("\n\n")
  })
}

function describeOption({ name, comment, type, isOptional }, path) {
  const [text, fallback] = comment.split(/ ?Default: /)
  const facts = [
    `- Type: \`${type.replace(/\s+/g, " ")}\``,
    ...(isOptional ? [] : ["- Required"]),
    ...(fallback ? [`- Default: ${prose(fallback.replace(/\.$/, ""))}`] : []),
  ]
  const heading = path.endsWith(")") ? `${path.slice(0, -1)}{ ${name} })` : `${path}.${name}`
  return [`### \`${heading}\``, ...(text ? [prose(text)] : []), facts.join("\n")].join("\n\n")
}

const accountPart = (text) => `Part of the account area: ${text}.`

/** What each endpoint of a feature is for. `*` is one more segment. */
const endpoints = {
  account: ["account", "Leads to the first part of the account area. Clients get `{ user, isFresh, sections }`."],
  "account/profile": ["account", accountPart("name and picture")],
  "account/email": ["account", accountPart("change the email address")],
  "account/email/undo": ["account", "Undoes a changed address, from the link of the mail to the former address."],
  "account/methods": ["account", accountPart("add and remove accounts at providers")],
  "account/passkeys": ["account", accountPart("add, name and remove passkeys")],
  "account/factors": ["account, second-factors", "The user's second factors: set up, remove, replace recovery codes."],
  "account/password": ["account", accountPart("change or add a password")],
  "account/sessions": ["account, sessions", "The user's sessions: list, end one or all others."],
  "account/export": ["account", accountPart("download what is kept about the user")],
  "account/delete": ["account", accountPart("delete the account")],
  "account/style.css": ["account", "The stylesheet of the account area."],
  "second-factor": ["second-factors", "The page that asks for a second factor before the session starts."],
  "second-factor/*": [
    "second-factors",
    "Checks the second factor: `totp`, `recovery` or `enroll`. `codes` shows new recovery codes until they are saved.",
  ],
  "second-factor/style.css": ["second-factors", "The stylesheet of the pages with a key or with recovery codes."],
  "second-factor/page.js": ["second-factors", "The script of these pages: copies, and prints. They work without it."],
  confirm: ["second-factors", "The page that asks a signed-in user to prove again who they are."],
  "confirm/*": ["second-factors", "Checks that proof: `totp`, `recovery`, or the id of a provider."],
  "signed-out": ["logout", "Where the provider sends users after the sign-out there."],
  "backchannel-logout/*": ["logout", "Receives logout tokens of a provider, with `backchannel`. `*` is its id."],
  "frontchannel-logout/*": [
    "logout",
    "Ends the session that a provider's page names, with `frontchannel`. `*` is its id.",
  ],
  "password/sign-up": ["providers/passwords", "Creates an account with a password."],
  "password/forgot": ["providers/passwords", "Asks for an address, and mails a link and a code."],
  "password/reset": ["providers/passwords", "Asks for the code and a new password."],
  "password/change": ["providers/passwords", "Changes the password of a signed-in user, or adds one."],
  native: ["native", "The page that asks whether a native app may sign in. RFC 8252."],
  "native/token": ["native", "Exchanges the code of a native app for a session token. PKCE is required."],
}

/** JSON of each endpoint: query or fields of the request, and the answer. Null for those that are for browsers or servers only. */
const json = {
  account: [["GET", "", "{ user, isFresh, sections }"]],
  "account/profile": [
    ["GET", "", "{ name, image }"],
    ["POST", "action=save, name, image", "{ name, image }"],
  ],
  "account/email": [
    ["GET", "", "{ email, isVerified, pending }"],
    ["POST", "action=send, email", '{ step: "code" }'],
    ["POST", "action=confirm, code", "{ email }"],
  ],
  "account/email/undo": [
    ["GET", "change, token", "{ address }"],
    ["POST", "change, token", "{ url }"],
  ],
  "account/methods": [
    ["GET", "", "{ methods, linkable }"],
    ["POST", "action=link, provider, callbackUrl", "{ url }"],
    ["POST", "action=unlink, provider, id", "{ removed }"],
  ],
  "account/passkeys": [
    ["GET", "", "{ passkeys, canRename }"],
    ["POST", "action=rename, id, name", "{ name }"],
    ["POST", "action=remove, id", "{ removed }"],
  ],
  "account/factors": [
    ["GET", "", "{ factors }"],
    ["POST", "action=begin-totp", "{ ticket, secret, uri, qr }"],
    ["POST", "action=confirm-totp, ticket, code, label", "{ factor, recoveryCodes }"],
    ["POST", "action=create-recovery-codes", "{ recoveryCodes }"],
    ["POST", "action=remove, id", "{ removed }"],
  ],
  "account/password": [["GET", "", "{ hasPassword, changedAt }"]],
  "account/sessions": [
    ["GET", "", "{ sessions }"],
    ["POST", "action=end, id", "{ ended }"],
    ["POST", "action=end-others", "{ ended }"],
  ],
  "account/export": [
    ["GET", "", "{ everySeconds }"],
    ["POST", "action=download", "what is kept about the user"],
  ],
  "account/delete": [
    ["GET", "", "{ confirmation, afterDays }"],
    ["POST", "action=delete, confirm", "{ deletedAfterDays }"],
  ],
  "account/style.css": null,
  "second-factor": [
    ["GET", "", '{ step: "second-factor", kinds, rememberDays?, providers? }'],
    ["GET", "", '{ step: "enroll", kinds, setup: { ticket, secret, uri, qr } }'],
  ],
  "second-factor/*": [
    ["POST second-factor/totp", "code, remember=true", "{ url }"],
    ["POST second-factor/recovery", "code", "{ url }"],
    ["POST second-factor/enroll", "ticket, code", "{ url, recoveryCodes? }"],
    ["POST second-factor/codes", "when they are saved", "{ url }"],
  ],
  "second-factor/style.css": null,
  "second-factor/page.js": null,
  confirm: [["GET", "callbackUrl, max_age, factors, phishing_resistant", "{ isFresh, methods, url }"]],
  "confirm/*": [
    ["POST confirm/totp", "code", "{ url }"],
    ["POST confirm/recovery", "code", "{ url }"],
    ["POST confirm/<provider id>", "the fields of its form", "{ url }"],
  ],
  "signed-out": null,
  "backchannel-logout/*": null,
  "frontchannel-logout/*": null,
  "password/sign-up": [
    ["GET", "", '{ step: "form" }'],
    ["GET", "step=code", '{ step: "code", address, flow }'],
    ["GET", "token, email", '{ step: "choose" }'],
    ["POST", "email, password, name, your own fields, terms=on", "{ url }"],
    ["POST", "code, flow", "{ url }"],
    ["POST", "again, flow", "{ url }"],
    ["POST", "token, email, password", "{ url }"],
  ],
  "password/forgot": [
    ["GET", "", '{ step: "form" }'],
    ["POST", "email, again", "{ url }"],
  ],
  "password/reset": [
    ["GET", "", '`{ step: "code", address, flow }`, or `{ step: "form" }` without an email of this browser'],
    ["GET", "token, email", '{ step: "choose" }'],
    ["POST", "code, flow, password", "{ url }"],
    ["POST", "token, email, password", "{ url }"],
  ],
  "password/change": [
    ["GET", "", '{ step: "change" | "add" | "code", isFresh }'],
    ["POST", "current, password", "{ url }"],
    ["POST", "action=send-code", "{ url }"],
    ["POST", "code, password", "{ url }"],
  ],
  native: null,
  "native/token": [["POST", "grant_type, code, code_verifier, client_id, redirect_uri", "the token of RFC 6749, 5.1"]],
}

/** The JSON of endpoints, as a table. */
export function describeJson(paths, answers) {
  const rows = paths.flatMap((path) => answers[path]?.map((row) => [path, ...row]) ?? [])
  if (rows.length === 0) return ""
  const code = (text) => (/^\{[^`]*$|^[a-zA-Z_]+(?:=|$)/.test(text) ? `\`${text}\`` : prose(text))
  const listed = ([path, request, fields, answer]) => [
    `\`${request.includes(" ") ? request : `${request} ${path}`}\``,
    fields.split(", ").filter(Boolean).map(code).join(", "),
    code(answer),
  ]
  return `\n\nAs JSON, with \`csrfToken\` in each \`POST\`:\n\n${table(["request", "query or fields", "answer"], rows.map(listed))}`
}

/** A table for each subpath with the endpoints that its factory brings, read from the factories themselves. */
export function describeFeatureEndpoints({ featureRoutes }) {
  const missing = Object.keys(featureRoutes).filter((path) => endpoints[path] === undefined)
  const gone = Object.keys(endpoints).filter((path) => featureRoutes[path] === undefined)
  if (missing.length > 0) throw new Error(`docs/scripts/features.mjs does not describe the endpoints ${missing.join()}`)
  const silent = Object.keys(featureRoutes).filter((path) => json[path] === undefined)
  if (silent.length > 0) throw new Error(`docs/scripts/features.mjs does not describe the JSON of ${silent.join()}`)
  if (gone.length > 0)
    throw new Error(`docs/scripts/features.mjs describes the endpoints ${gone.join()}, which are gone`)
  const subpaths = new Set(Object.values(endpoints).flatMap(([from]) => from.split(", ")))
  return [...subpaths].map((subpath) => {
    const own = Object.entries(endpoints).filter(([, [from]]) => from.split(", ").includes(subpath))
    const rows = own.map(([path, [, text]]) => [
      `\`/auth/${path}\``,
      Object.keys(featureRoutes[path])
        .filter((name) => name !== "format")
        .join(", "),
      prose(text),
    ])
    const answers = describeJson(
      own.map(([path]) => path),
      json,
    )
    return `### With \`@latchkey/core/${subpath}\`\n\n${table(["path", "methods", "description"], rows)}${answers}`
  })
}

/** What each cookie that has no option is for, by its key in the table of the core. Where its lifetime differs: how long it lives. */
const cookies = {
  browser: ["Ties an OAuth sign-in to this browser. A sibling subdomain cannot plant it."],
  formPostBrowser: ["The same, for providers that return by posting a form."],
  completed: [
    "The sign-in that this browser completed last, so that going back to it leads where it led. It is sealed.",
  ],
  mail: [
    "The mails that this browser asked for, at most three, each in `authjs.mail.<id>`. The code of a mail works only with it.",
    "24 hours longer than the link",
  ],
  errorReference: ["The reference ID on the error page."],
  formValues: [
    "Fills a form in again after a mistake, without passwords and codes. It is sealed.",
    "5 minutes, or 10 with `Passwords`",
  ],
  formResult: [
    "What a page says about the form that led to it, and what was typed, without passwords: a reload shows the same. It is sealed.",
  ],
  lastProvider: ["The id of the provider that was used last, with `theme.rememberProvider`."],
  held: ["The sign-in that waits for a second factor. It is sealed, and completes once."],
  setup: [
    "The key of an authenticator app that is being set up, sealed: a reload shows the same one. With `secondFactors`.",
  ],
  codes: ["New recovery codes, sealed, until the user says that they are saved. With `secondFactors`."],
  device: [
    "A device that is not asked for the second factor again. It is replaced at every sign-in.",
    "the days of `secondFactors.remember`",
  ],
  proof: [
    "How and when the user proved who they are, for changes that need a recent proof. With `secondFactors` or `accountArea`.",
  ],
  tokens: [
    'The access and refresh token of a provider, sealed, in `authjs.tokens.<provider>`, with `accessTokens({ keep: "cookie" })`.',
  ],
  hint: ["What the provider needs to end its session: the ID token, sealed. With `providerLogout`."],
  moved: ["The session of another library that ours took the place of, for the sign-out there. With `session.accept`."],
  leaving: ["Where to go after the sign-out at the provider. With `providerLogout`."],
}

const units = [
  [365 * 86_400, "year"],
  [86_400, "day"],
  [60, "minute"],
]

/** A lifetime in words. */
export function describeSeconds(seconds) {
  const [size, unit] = units.find(([each]) => seconds % each === 0)
  return `${seconds / size} ${unit}${seconds === size ? "" : "s"}`
}

/**
 * @param own the table of the core
 * @param optional the keys of those that have an option
 */
export function describeOtherCookies(own, optional) {
  const others = Object.keys(own).filter((key) => !optional.includes(key))
  const missing = others.filter((key) => cookies[key] === undefined)
  if (missing.length > 0) throw new Error(`docs/scripts/features.mjs does not describe the cookies ${missing.join()}`)
  return others.map((key) => {
    const [text, life = describeSeconds(own[key].seconds)] = cookies[key]
    const { name, prefix } = own[key]
    const facts = [
      `- Prefix: \`${prefix}\` on https`,
      `- Lifetime: ${life}`,
      `- Attributes: \`HttpOnly\`, \`SameSite=${key === "formPostBrowser" ? "None" : "Lax"}\`, \`Secure\` on https`,
    ]
    return [`### \`${name}${key === "tokens" ? ".<provider>" : ""}\``, prose(text), facts.join("\n")].join("\n\n")
  })
}

const errorFiles = [
  ["features/account-area/section.ts", "ChangeRefused", "account", accountGuide],
  ["methods/password/text.ts", "PasswordRefused", "passwords", passwordGuide],
  ["methods/password/reply.ts", "CurrentPasswordWrong", undefined, passwordGuide],
  ["methods/password/format.ts", "PasswordFormatError", "passwords", passwordGuide],
]

/** The errors of features, which `@latchkey/core/errors` does not have. */
export function describeFeatureErrors() {
  return errorFiles.map(([file, name, from, where]) => {
    const found = readClasses(file).find((each) => each.name === name)
    if (found === undefined) throw new Error(`${file} has no class ${name}`)
    const facts = [
      `- Exported by: ${from ? `\`@latchkey/core/${from}\`` : "no subpath; clients get its name as `error`"}`,
      `- Extends: \`${found.base}\``,
      `- What to do: ${where}`,
    ]
    return `### \`${name}\`\n\n${prose(found.comment)}\n\n${facts.join("\n")}`
  })
}
