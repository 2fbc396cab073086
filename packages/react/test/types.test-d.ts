import type { Session as SessionOfCore } from "@latchkey/core/types"
import {
  getSession,
  type Session,
  type SessionContextValue,
  type SignInResponse,
  signIn,
  useSession,
} from "@latchkey/react"
import { expectTypeOf } from "vitest"

// Optional because the declaration reaches every test that is compiled with this file. Other tests augment `Session` by
// the same module name, since TypeScript follows one name for each interface.
declare module "@latchkey/core/types" {
  interface Session {
    tableNumber?: number
  }
}

expectTypeOf<Session>().toEqualTypeOf<SessionOfCore>()

export function Seen(): null {
  const { data, status, update, error } = useSession()
  // The client's type test adds `pronouns` by the name of `@latchkey/types`.
  if (status === "authenticated") {
    expectTypeOf(data.tableNumber).toEqualTypeOf<number | undefined>()
    expectTypeOf(data.user?.pronouns).toEqualTypeOf<string | undefined>()
  } else expectTypeOf(data).toEqualTypeOf<null>()
  expectTypeOf(status).toEqualTypeOf<"authenticated" | "loading" | "unauthenticated">()
  expectTypeOf(update({ name: "Ada" })).resolves.toEqualTypeOf<Session | null>()
  expectTypeOf(error).toEqualTypeOf<Error | undefined>()
  return null
}

export function SeenByMembers(): null {
  const required = useSession({ required: true })
  expectTypeOf(required).toEqualTypeOf<SessionContextValue<true>>()
  expectTypeOf(required.status).toEqualTypeOf<"authenticated" | "loading">()
  const optional = useSession({ required: false })
  expectTypeOf(optional.status).toEqualTypeOf<"authenticated" | "loading" | "unauthenticated">()
  return null
}

expectTypeOf(getSession()).resolves.toEqualTypeOf<Session | null>()
expectTypeOf(signIn("credentials", { redirect: false })).resolves.toEqualTypeOf<SignInResponse>()
