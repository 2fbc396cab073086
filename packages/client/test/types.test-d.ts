import {
  type AuthClientOptions,
  createSessionStore,
  getSession,
  type Session,
  type SignInResponse,
  signIn,
  signOut,
} from "@latchkey/client"
import { expectTypeOf } from "vitest"

// Optional, since it reaches every test that is compiled with this file. By the subpath that other tests name too.
declare module "@latchkey/core/types" {
  interface Session {
    seatNumber?: number
  }
}

expectTypeOf(getSession()).resolves.toEqualTypeOf<Session | null>()
expectTypeOf<Session["seatNumber"]>().toEqualTypeOf<number | undefined>()
expectTypeOf(signIn("credentials", { redirect: false, username: "ada" })).resolves.toEqualTypeOf<SignInResponse>()
expectTypeOf(signIn("github")).resolves.toEqualTypeOf<SignInResponse | undefined>()
expectTypeOf(signIn("github", {}, { prompt: "login" })).resolves.toEqualTypeOf<SignInResponse | undefined>()
expectTypeOf(signIn("github", {}, [["prompt", "login"]])).resolves.toEqualTypeOf<SignInResponse | undefined>()
expectTypeOf(signOut({ redirect: false })).resolves.toEqualTypeOf<SignInResponse>()
expectTypeOf(signOut()).resolves.toEqualTypeOf<SignInResponse | undefined>()
expectTypeOf<AuthClientOptions["basePath"]>().toEqualTypeOf<string | undefined>()

const state = createSessionStore().getState()
if (state.status === "authenticated") expectTypeOf(state.data.seatNumber).toEqualTypeOf<number | undefined>()
else expectTypeOf(state.data).toEqualTypeOf<null>()

// @ts-expect-error: a form is read by its owner
signIn("credentials", new FormData())
