import { readSession } from "@latchkey/core/integration"
import type { Session } from "@latchkey/core/types"
import { toCaller } from "./caller.js"
import { type NextConfigSource, resolveConfig } from "./config.js"
import { settingsFor } from "./settings.js"
import { readVisitor } from "./visitor.js"

interface Read {
  readonly cookie: string
  readonly session: Promise<Session | null>
}

/** The session of the visitor for whom Next renders or acts. */
export interface CurrentSession {
  /** Once for each request and its cookies, however many components ask. */
  read(): Promise<Session | null>
  /** After an action that has changed the session. */
  forget(request: object): void
}

/** Cookies are not written: a server component has no answer to write them to. The proxy renews sessions. */
export function createCurrentSession(source: NextConfigSource): CurrentSession {
  const reads = new WeakMap<object, Read>()
  return {
    async read() {
      const { request, headers } = await readVisitor()
      const cookie = headers.get("cookie") ?? ""
      const known = reads.get(request)
      if (known?.cookie === cookie) return await known.session
      const session = readFor(headers, source)
      reads.set(request, { cookie, session })
      return await session
    },
    forget(request) {
      reads.delete(request)
    },
  }
}

async function readFor(headers: Headers, source: NextConfigSource): Promise<Session | null> {
  const { settings } = settingsFor(await resolveConfig(source))
  const { session } = await readSession(toCaller(headers, settings.config), settings)
  return session
}
