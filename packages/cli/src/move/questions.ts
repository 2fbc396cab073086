import type { CommandContext } from "../config.js"
import { createPaint, escapeText, toGuideText, wrap } from "../terminal.js"

/** Something that a person has to decide. */
export interface Question {
  readonly kind: QuestionKind
  /** Relative to the folder that is moved. */
  readonly file: string
  readonly line: number
}

export type QuestionKind =
  | "adapter"
  | "authorize"
  | "cookie-name"
  | "encode"
  | "http-options"
  | "kept"
  | "logger"
  | "middleware"
  | "module"
  | "module-resolution"
  | "own-provider"
  | "package-json"
  | "secure-cookie"
  | "sessions"
  | "type"
  | "unreadable"

interface QuestionText {
  readonly title: string
  readonly advice: string
  readonly guide: readonly [title: string, section?: string]
}

const fromVersion4 = ["Next.js", "Moving from `next-auth` 4"] as const
const databases = ["Migrating from Auth.js", "Databases"] as const
const types = ["Migrating from Auth.js", "Types"] as const

const texts: Readonly<Record<QuestionKind, QuestionText>> = {
  authorize: {
    title: "authorize throws an error",
    advice:
      "Version 4 showed its message to the browser. Throw a subclass of CredentialsSignin with its own code, and compare the code of the result of signIn. Any other error is logged, and shown as Configuration.",
    guide: fromVersion4,
  },
  middleware: {
    title: "a middleware decides who gets in",
    advice:
      "It is renamed, not changed. Try each protected page signed out, and signed in as someone without the right.",
    guide: ["Next.js", "Protecting pages"],
  },
  "cookie-name": {
    title: "the name of a cookie is written by hand",
    advice: "The cookies of Latchkey are named authjs.session-token and so on, with __Secure- over https.",
    guide: fromVersion4,
  },
  encode: {
    title: "session tokens are encoded or decoded by the app",
    advice:
      "encode and decode need the salt, which is the name of the cookie. Your own functions get it with the other parameters.",
    guide: types,
  },
  adapter: {
    title: "an adapter of Auth.js stays",
    advice:
      "It works unchanged. For @next-auth/prisma-adapter, take @auth/prisma-adapter, which has the same tables, or move to ours.",
    guide: databases,
  },
  "secure-cookie": {
    title: "secureCookie is set",
    advice: "It must be true if visitors use https, also behind a proxy that ends TLS.",
    guide: ["Next.js", "A small middleware"],
  },
  sessions: {
    title: "sessions of version 4 have other cookies",
    advice:
      "Users stay signed in with session.accept and nextAuthV4() of @latchkey/import. With withAuth or getToken, pass the same list as accept; a middleware that exports the default one becomes export default withAuth({ accept }). Otherwise they sign in again.",
    guide: ["From next-auth 4"],
  },
  "package-json": {
    title: "a package.json is read",
    advice: "It now has the version of Latchkey, and dependencies of other names.",
    guide: ["Migrating from Auth.js"],
  },
  type: {
    title: "a type has no counterpart",
    advice: "Use the one in the table.",
    guide: types,
  },
  module: {
    title: "a module has no counterpart",
    advice:
      "The import is unchanged, and the old package stays. For a provider, look for another name in the list of providers, or use the one for OpenID Connect.",
    guide: ["Migrating from Auth.js", "Providers"],
  },
  unreadable: {
    title: "the file cannot be read",
    advice: "It is not valid, or too large. It is unchanged: change its imports by hand.",
    guide: fromVersion4,
  },
  logger: {
    title: "the app has a logger",
    advice: "logger.error gets the error alone, without a code.",
    guide: fromVersion4,
  },
  "http-options": {
    title: "httpOptions has more than a timeout",
    advice: "Only timeout has an effect. For a proxy or certificates, set customFetch on the provider.",
    guide: ["Providers"],
  },
  "own-provider": {
    title: "a provider of the app's own",
    advice: 'With wellKnown and an ID token, write type: "oidc" with issuer. checks is a list.',
    guide: fromVersion4,
  },
  "module-resolution": {
    title: "moduleResolution cannot be changed here",
    advice:
      'Latchkey needs "bundler" or "nodenext", and this configuration makes CommonJS. Give the app a configuration of its own.',
    guide: ["Migrating from Auth.js"],
  },
  kept: {
    title: "an old package stays",
    advice: "A file or an adapter still needs it. Remove it when the questions about it are answered.",
    guide: ["Migrating from Auth.js"],
  },
}

/** The numbered questions, as text. */
export function toText(questions: readonly Question[], context: CommandContext): string {
  const paint = createPaint(context)
  if (questions.length === 0) return `${paint.good("Nothing is left to decide.")}\n`
  const intro =
    questions.length === 1 ? "One question is left for you:" : `${questions.length} questions are left for you:`
  const items = questions.map(({ kind, file, line }, index) => {
    const { title, advice, guide } = texts[kind]
    const number = `${String(index + 1).padStart(3)}. `
    const place = paint.strong(`${escapeText(file)}:${line}`)
    return [
      `${number}${place}  ${title}`,
      ...wrap(advice, "     "),
      ...wrap(`Guide: ${toGuideText(guide)}`, "     ").map(paint.faint),
    ].join("\n")
  })
  return `${intro}\n\n${items.join("\n")}\n`
}
