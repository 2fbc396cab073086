import type { AuthConfig } from "../contract/config.js"

/** Of which kind the value of an option is, and the words for it. A provider looks after its own options. */
interface Kind {
  readonly words: string
  fits(value: unknown): boolean
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const text: Kind = { words: "text", fits: (value) => typeof value === "string" }
const list: Kind = { words: "a list", fits: Array.isArray }
const object: Kind = { words: "an object", fits: isObject }
const callable: Kind = { words: "a function", fits: (value) => typeof value === "function" }

/** Nested options are named where something reads them before it asks what they are. */
const kinds: { readonly [Option in keyof AuthConfig]?: Kind | Readonly<Record<string, Kind>> } = {
  providers: list,
  // A class, a proxy or a function with the methods on it: whatever has them.
  adapter: { words: "an object", fits: (value) => isObject(value) || typeof value === "function" },
  basePath: text,
  callbacks: { signIn: callable, redirect: callable, jwt: callable, session: callable },
  events: object,
  cookies: {
    sessionToken: object,
    callbackUrl: object,
    csrfToken: object,
    pkceCodeVerifier: object,
    state: object,
    nonce: object,
    webauthnChallenge: object,
  },
  session: object,
  jwt: object,
  pages: { signIn: text, signOut: text, error: text, verifyRequest: text, newUser: text },
  theme: { colorScheme: text, logo: text, brandColor: text, buttonText: text },
  logger: { error: callable, warn: callable, debug: callable, record: callable },
  experimental: object,
}

/**
 * An option whose value is not even of its kind. Hosts are written without types too, or read their settings from
 * files.
 */
export interface MistypedOption {
  readonly option: keyof AuthConfig
  /** With the option's path. */
  readonly sentence: string
}

/** Each option counts once. What is null or undefined is left out, as everywhere. */
export function findMistypedOptions(config: AuthConfig): readonly MistypedOption[] {
  return Object.entries(kinds).flatMap(([name, kind]) => {
    const option = name as keyof AuthConfig // The keys of the table are options.
    const sentence = findSentence(option, config[option], kind)
    return sentence === null ? [] : [{ option, sentence }]
  })
}

function findSentence(path: string, value: unknown, kind: Kind | Readonly<Record<string, Kind>>): string | null {
  if (value === undefined || value === null) return null
  if (isKind(kind)) return kind.fits(value) ? null : `${path}: must be ${kind.words}`
  if (!isObject(value)) return `${path}: must be an object`
  for (const [name, inner] of Object.entries(kind)) {
    const member: unknown = Reflect.get(value, name)
    if (member !== undefined && !inner.fits(member)) return `${path}.${name}: must be ${inner.words}`
  }
  return null
}

function isKind(kind: Kind | Readonly<Record<string, Kind>>): kind is Kind {
  return typeof kind["fits"] === "function"
}
