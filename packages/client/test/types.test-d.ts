import {
  type AuthClientOptions,
  createSessionStore,
  getSession,
  type Session,
  type SignInResponse,
  signIn,
  signOut,
  type User,
} from "@latchkey/client"
import type { Session as SessionOfCore, User as UserOfCore } from "@latchkey/core"
import type { Session as SessionOfTypes } from "@latchkey/types"
import { expectTypeOf } from "vitest"

// The fields are optional because the declarations reach every test that is compiled with this file. TypeScript follows
// one module name for each interface: all tests augment `Session` by this name, and `DefaultUser` by the next one.
declare module "@latchkey/core/types" {
  interface Session {
    seatNumber?: number
  }
}
declare module "@latchkey/types" {
  interface DefaultUser {
    pronouns?: string
  }
}

expectTypeOf(getSession()).resolves.toEqualTypeOf<Session | null>()
expectTypeOf<Session["seatNumber"]>().toEqualTypeOf<number | undefined>()
expectTypeOf<Session>().toEqualTypeOf<SessionOfCore>()
expectTypeOf<Session>().toEqualTypeOf<SessionOfTypes>()
expectTypeOf<User["pronouns"]>().toEqualTypeOf<string | undefined>()
expectTypeOf<User>().toEqualTypeOf<UserOfCore>()
expectTypeOf(signIn("credentials", { redirect: false, username: "ada" })).resolves.toEqualTypeOf<SignInResponse>()
expectTypeOf<keyof Extract<SignInResponse, { error: undefined }>>().toEqualTypeOf<
  "error" | "code" | "status" | "ok" | "url" | "next"
>()
expectTypeOf<keyof Extract<SignInResponse, { error: string }>>().toEqualTypeOf<keyof SignInResponse>()

export async function enter(): Promise<void> {
  // As code that was written for Auth.js takes the result apart.
  const { error, code, status, ok, url } = await signIn("credentials", { redirect: false })
  expectTypeOf([error, code, url]).toEqualTypeOf<(string | null | undefined)[]>()
  expectTypeOf([status, ok]).toEqualTypeOf<(number | boolean)[]>()
  if (error === undefined) expectTypeOf(url).toEqualTypeOf<string>()
  else expectTypeOf(url).toEqualTypeOf<null>()
}

expectTypeOf(signIn("github")).resolves.toEqualTypeOf<SignInResponse | undefined>()
expectTypeOf(signIn("github", {}, { prompt: "login" })).resolves.toEqualTypeOf<SignInResponse | undefined>()
expectTypeOf(signIn("github", {}, [["prompt", "login"]])).resolves.toEqualTypeOf<SignInResponse | undefined>()
expectTypeOf(signOut({ redirect: false })).resolves.toEqualTypeOf<SignInResponse>()
expectTypeOf(signOut()).resolves.toEqualTypeOf<SignInResponse | undefined>()
expectTypeOf<AuthClientOptions["basePath"]>().toEqualTypeOf<string | undefined>()

const state = createSessionStore().getState()
if (state.status === "authenticated") expectTypeOf(state.data.seatNumber).toEqualTypeOf<number | undefined>()
else expectTypeOf(state.data).toEqualTypeOf<null>()

// @ts-expect-error: options are an object, not a FormData
signIn("credentials", new FormData())
