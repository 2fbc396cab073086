import type { Activity } from "./activity.js"
import type { Exchange, Write } from "./exchange.js"
import type { Violation } from "./model.js"

/** Tells what happened, in plain sentences, with the HTTP that was exchanged. */
export interface Tale {
  /** What an actor does. */
  say(activity: Activity | undefined, sentence: string): void
  request(exchange: Exchange): void
  write(exchange: Exchange, write: Write): void
  answer(exchange: Exchange): void
  end(violation: Violation): void
  readonly lines: readonly string[]
}

/** Writes nothing. Most runs need no story. */
export const untold: Tale = {
  say: () => {},
  request: () => {},
  write: () => {},
  answer: () => {},
  end: () => {},
  lines: [],
}

export function createTale(): Tale {
  const lines: string[] = []
  const names = new Map<string, string>()

  /** Long values get short names: `«state 2»` reads better than four hundred characters, and is the same wherever it occurs. */
  function shorten(text: string): string {
    return text.replace(/[\w%~.-]{28,}/g, (value) => {
      const known = names.get(value) ?? `«${value.slice(0, 6)}…${names.size + 1}»`
      names.set(value, known)
      return known
    })
  }

  const tell = (text: string) => void lines.push(shorten(text))
  return {
    lines,
    say: (activity, sentence) => tell(`${activity ? `[${activity.id}] ` : ""}${sentence}`),
    request({ id, activity, browser, instance, method, url, form, sentSessions }) {
      const where = activity.person === browser.person ? "" : ` in ${browser.person.name}'s browser`
      tell(`    [${activity.id}] request ${id}${where}, instance ${instance}: ${method} ${url.pathname}${url.search}`)
      if (form && form.size > 0) tell(`        form: ${[...form].map(([name, value]) => `${name}=${value}`).join("&")}`)
      if (sentSessions.length > 0) tell(`        session cookie: ${sentSessions.join(", ")}`)
    },
    write({ id }, { method, args }) {
      tell(`        request ${id} writes: ${method}(${args.map(describe).join(", ")})`)
    },
    answer({ id, answer, faults }) {
      if (!answer) return
      for (const fault of faults) tell(`        fault in request ${id}: ${fault}`)
      const location = answer.headers.get("location")
      const target = location === null ? "" : ` to ${location}`
      const session =
        answer.session === undefined ? "" : `, session cookie ${answer.session === "" ? "cleared" : answer.session}`
      const text = shorten(answer.body)
      const body = text.length > 0 && text.length < 300 ? `, ${text}` : ""
      tell(`        answer ${id}: ${answer.status}${target}${session}${body}`)
    },
    end: ({ rule, sentence }) => tell(`BROKEN (${rule}): ${sentence}`),
  }
}

function describe(value: unknown): string {
  if (typeof value !== "object" || value === null || value instanceof Date) return String(value)
  const { userId, provider, providerAccountId, email, id, sessionToken, credentialID, emailVerified, identifier } =
    Object(value)
  const shown = {
    id,
    userId,
    provider,
    providerAccountId,
    email,
    emailVerified,
    sessionToken,
    credentialID,
    identifier,
  }
  return JSON.stringify(Object.fromEntries(Object.entries(shown).filter(([, each]) => each !== undefined)))
}
