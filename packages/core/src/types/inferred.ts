import type { AppSession, DefaultSession } from "@latchkey/types"

/** No value has it: it carries the type of the session. */
declare const shown: unique symbol

/** A configuration whose `session` callback returns `Shown`. */
export interface Shows<Shown extends DefaultSession> {
  readonly [shown]?: Shown
}

/**
 * The session that clients of a configuration see: what the `session` callback of a configuration from `defineAuth` returns,
 * else {@link AppSession}.
 * @typeParam Source The type of the configuration, or of the function that returns it.
 * @example declare module "@latchkey/core" { interface Register { session: SessionOf<typeof config> } }
 */
export type SessionOf<Source> = Source extends (...args: never[]) => infer Made
  ? SessionOf<Awaited<Made>>
  : Source extends Shows<infer Shown>
    ? DefaultSession extends Shown
      ? AppSession
      : Shown
    : AppSession
