import { sha256Hex } from "../crypto/hash.js"
import { withFields } from "../runtime/instance.js"
import type { Adapter } from "../types/adapter.js"
import type { AdapterSessionDetail } from "../types/adapter-features.js"

/**
 * Returns an adapter that stores a SHA-256 hash of each session token in place of the token, so that a copy of the
 * table lets nobody sign in. Existing sessions stay valid until they expire.
 * @example
 * const config = { providers: [GitHub], adapter: hashSessionTokens(sqlite("app.db")) }
 */
export function hashSessionTokens<Given extends Adapter>(adapter: Given): Given {
  const own = Object.entries(createMethods(adapter)).filter(
    ([name]) => typeof Reflect.get(adapter, name) === "function",
  )
  // as: methods of an adapter, each in place of one that it has.
  return withFields(adapter, Object.fromEntries(own) as Partial<Given>)
}

/** Tells a hash from a token that was stored before. */
const mark = "sha256:"

const toHash = async (token: string): Promise<string> => mark + (await sha256Hex(token))

/** The methods that take or return a token. */
function createMethods(given: Adapter): Adapter {
  // as: each method is only called if the given adapter has it.
  const adapter = given as Required<Adapter>

  /** Compares exactly: a store that ignores case would find the row of a hash for another text. */
  async function find(token: string) {
    const found = await adapter.getSessionAndUser(token)
    return found?.session?.sessionToken === token ? found : null
  }

  /** Finds a session that was stored with its token. Never accepts a hash: only somebody who has read the table sends one. */
  const findFormer = async (token: string) => (token.startsWith(mark) ? null : find(token))

  /** What the store has in place of a token. */
  const toKey = async (token: string) => ((await findFormer(token)) ? token : toHash(token))

  return {
    async createSession(session) {
      const { sessionToken } = session
      const stored = await adapter.createSession({ ...session, sessionToken: await toHash(sessionToken) })
      return withFields(stored, { sessionToken })
    },
    async getSessionAndUser(sessionToken) {
      const found = await find(await toHash(sessionToken))
      return found ? { ...found, session: withFields(found.session, { sessionToken }) } : findFormer(sessionToken)
    },
    async updateSession(changes) {
      const { sessionToken } = changes
      const updated = await adapter.updateSession({ ...changes, sessionToken: await toKey(sessionToken) })
      return updated && withFields(updated, { sessionToken })
    },
    async deleteSession(sessionToken) {
      const removed = await adapter.deleteSession(await toKey(sessionToken))
      return removed ? withFields(removed, { sessionToken }) : null
    },
    async createSessionDetail(detail, options) {
      if (detail.sessionToken === null) return adapter.createSessionDetail(detail, options)
      const { session, ...rest } = options ?? {}
      const sessionToken = await (session ? toHash : toKey)(detail.sessionToken)
      const row = session && { session: { ...session, sessionToken } }
      return adapter.createSessionDetail({ ...detail, sessionToken }, { ...rest, ...row })
    },
    async seeSession(seen) {
      const detail = await adapter.seeSession(seen)
      return detail && withoutToken(detail)
    },
    async listSessionsByUserId(userId) {
      return (await adapter.listSessionsByUserId(userId)).map(withoutToken)
    },
    transaction: (work) => adapter.transaction((within) => work(hashSessionTokens(within))),
  }
}

const withoutToken = (detail: AdapterSessionDetail): AdapterSessionDetail => ({ ...detail, sessionToken: null })
