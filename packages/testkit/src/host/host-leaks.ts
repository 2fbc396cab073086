import type { FakeIdentityProvider } from "../identity-provider/identity-provider.js"
import type { Canary, Leak } from "../log/leaks.js"
import type { RecordedAnswer } from "../log/recorders.js"
import type { Mailbox } from "../mail/mailbox.js"

/** A host whose log and answers can be searched for secrets. */
export interface SearchableHost {
  leaks(): readonly Leak[]
}

type Watcher = (host: SearchableHost) => void

const watchers = new Set<Watcher>()

/**
 * Tells of each host that is opened from now on, so that a suite can search all of them.
 * @internal Exported for the set-up of this repository's own tests.
 */
export function watchHosts(watcher: Watcher): void {
  watchers.add(watcher)
}

export function announceHost<Host extends SearchableHost>(host: Host): Host {
  for (const tell of watchers) tell(host)
  return host
}

interface Places {
  readonly idp: FakeIdentityProvider
  readonly mailbox: Mailbox
  readonly answers: readonly RecordedAnswer[]
}

/** Whoever reads a log may know where somebody went, and is meant to know the reference. */
const plainCookies = /callback-url|error-reference/
const authorizationSecrets = ["state", "nonce"] as const
const tokenSecrets = ["code_verifier", "client_assertion"] as const

/** Shorter values would be found by chance. */
const shortest = 16

/**
 * What a browser, a mailbox or a provider was given on the way, which has its place in answers and none in a log:
 * cookies, states, nonces, code verifiers, links.
 */
export function listMetSecrets({ idp, mailbox, answers }: Places): readonly Canary[] {
  const cookies = answers.flatMap((answer) => answer.cookies.flatMap(readCookie))
  const asked = idp.requests.authorization.flatMap(({ params }) => pick(params, authorizationSecrets))
  const redeemed = idp.requests.token.flatMap(({ params }) => pick(params, tokenSecrets))
  const links = mailbox.messages.map(({ url }) => ({ name: "link", value: url }))
  const met = [...cookies, ...asked, ...redeemed, ...links].filter(({ value }) => value.length >= shortest)
  return [...new Map(met.map((canary) => [canary.value, canary])).values()]
}

function readCookie(header: string): readonly Canary[] {
  const [pair = ""] = header.split(";", 1)
  const name = pair.slice(0, pair.indexOf("="))
  if (plainCookies.test(name)) return []
  // A pair of token and hash: either half is one too many.
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
