import type { DefaultSession } from "@latchkey/types"
import type { AuthConfig, Shows } from "../types/config.js"

/**
 * Returns the configuration as it is, and infers its types: the callbacks and events know the fields that the adapter adds to a
 * user, and {@link SessionOf} what `callbacks.session` returns.
 * @example
 * export const config = defineAuth({
 *   adapter: KyselyAdapter(db, { user: { extra: { role: "text" } } }),
 *   providers: [GitHub],
 *   callbacks: {
 *     session: ({ session, user }) => ({ ...session, user: { name: user.name, role: user.role } }),
 *   },
 * })
 */
export function defineAuth<Extra = unknown, Shown extends DefaultSession = DefaultSession>(
  config: AuthConfig<Extra, Shown>,
): AuthConfig & Shows<Shown> {
  // as: the callbacks get the users of this very adapter.
  return config as AuthConfig
}
