import type { AuthConfig } from "@latchkey/core/types"
import type { FakeIdentityProvider } from "../identity-provider/identity-provider.js"
import { type Canaries, type Canary, createCanaries, findLeaks, type Leak } from "../log/leaks.js"
import type { RecordedAnswer, RecordingLogger } from "../log/recorders.js"
import type { Mailbox } from "../mail/mailbox.js"

/** A host whose log and responses can be searched for secrets. */
export interface SearchableHost {
  readonly answers: readonly RecordedAnswer[]
  leaks(): readonly Leak[]
}

type Watcher = (host: SearchableHost) => void

const watchers = new Set<Watcher>()

/**
 * Calls back for each test host created from now on, so that a suite can search all of them.
 * @internal Exported for the setup of this repository's own tests.
 */
export function watchHosts(watcher: Watcher): void {
  watchers.add(watcher)
}

/** Passes a new host to all watchers. */
export function announceHost<Host extends SearchableHost>(host: Host): Host {
  for (const tell of watchers) tell(host)
  return host
}

/** Creates the canaries of a host: the service's secrets and the client secrets, unless they are very short. */
export function plantCanaries({ secret }: Pick<AuthConfig, "secret">, { clients }: FakeIdentityProvider): Canaries {
  const canaries = createCanaries()
  const secrets = [secret ?? []].flat().map((value) => ["the service's secret", value] as const)
  const ofClients = clients.map(({ client_secret }) => ["the client secret", client_secret] as const)
  for (const [name, value] of [...secrets, ...ofClients]) if (value.length >= 8) canaries.watch(name, value)
  return canaries
}

/** Everything of a host that can contain or receive a secret. */
interface HostRecords {
  readonly idp: FakeIdentityProvider
  readonly mailbox: Mailbox
  readonly logger: RecordingLogger
  readonly answers: readonly RecordedAnswer[]
  readonly canaries: Canaries
}

/**
 * Searches the log and the responses for canaries and issued tokens, and the log also for values that only a browser or
 * provider may know.
 */
export function findHostLeaks(records: HostRecords): readonly Leak[] {
  const { idp, mailbox, logger, answers, canaries } = records
  const logged = logger.texts()
  const shown = [...logged, ...answers.map(toText)]
  const mailTokens = mailbox.messages.map(({ token }) => ({ name: "mail token", value: token }))
  const { long = [], short = [] } = Object.groupBy(mailTokens, ({ value }) => (isLong(value) ? "long" : "short"))
  return [
    ...findLeaks(shown, [...canaries.all, ...idp.issued, ...long]),
    ...findCodes(shown, short),
    ...findLeaks(logged, listSharedSecrets(records)),
  ]
}

/** Searches for codes of a few characters. Random text has them by chance, but beside other characters. */
function findCodes(texts: readonly string[], codes: readonly Canary[]): readonly Leak[] {
  return codes.flatMap(({ name, value }) =>
    texts.flatMap((text, index) => {
      const at = findWord(text, value)
      return at < 0 ? [] : [{ canary: name, form: "plain" as const, text: index, at }]
    }),
  )
}

function findWord(text: string, word: string): number {
  let at = text.indexOf(word)
  while (at >= 0 && [text[at - 1], text[at + word.length]].some((beside) => /[\w+/-]/.test(beside ?? "")))
    at = text.indexOf(word, at + 1)
  return at
}

function toText({ headers, body }: RecordedAnswer): string {
  const shown = Object.entries(headers).filter(([name]) => name !== "location")
  return [...shown.map(([name, value]) => `${name}: ${value}`), body.replace(logoutHint, "")].join("\n")
}

/** A script gets the URL of a redirect in a body. A sign-out takes the ID token back to its provider in that URL. */
const logoutHint = /(?<=^\{"url":"[^"]*[?&]id_token_hint=)[^&"]+/

/** Cookies whose values may be logged: the callback URL and the error reference. */
const plainCookies = /callback-url|error-reference/
const authorizationSecrets = ["state", "nonce"] as const
const tokenSecrets = ["code_verifier", "client_assertion"] as const

/** Shorter values would be found by chance. */
const isLong = (value: string) => value.length >= 16

/** Values that responses may contain and logs must not: cookies, states, nonces, code verifiers, mailed links. */
function listSharedSecrets({ idp, mailbox, answers }: HostRecords): readonly Canary[] {
  const cookies = answers.flatMap((answer) => answer.cookies.flatMap(readCookie))
  const requested = idp.requests.authorization.flatMap(({ params }) => pick(params, authorizationSecrets))
  const redeemed = idp.requests.token.flatMap(({ params }) => pick(params, tokenSecrets))
  const links = mailbox.messages.map(({ url }) => ({ name: "link", value: url }))
  const shared = [...cookies, ...requested, ...redeemed, ...links].filter(({ value }) => isLong(value))
  return [...new Map(shared.map((canary) => [canary.value, canary])).values()]
}

function readCookie(header: string): readonly Canary[] {
  const [pair = ""] = header.split(";", 1)
  const name = pair.slice(0, pair.indexOf("="))
  if (plainCookies.test(name)) return []
  // Neither half of a token and hash pair may be logged.
  const values = decode(pair.slice(name.length + 1)).split("|")
  return values.map((value) => ({ name: `cookie ${name}`, value }))
}

function pick(params: URLSearchParams, names: readonly string[]): readonly Canary[] {
  return names.flatMap((name) => params.getAll(name).map((value) => ({ name, value })))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
