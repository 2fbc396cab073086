import { type DefaultSession, defineAuth, type Session, type SessionOf } from "@latchkey/core"
import type { Adapter } from "@latchkey/core/adapters"
import { type AnyKysely, KyselyAdapter } from "@latchkey/kysely-adapter"
import { mysql } from "@latchkey/kysely-adapter/mysql"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { expectTypeOf } from "vitest"

declare const db: AnyKysely

const typed = KyselyAdapter(db, {
  user: { extra: { role: "text", age: "number", isAdmin: "boolean", bornAt: "date" } },
  session: { extra: { device: "key" } },
})

// Every adapter implements the contract, with or without extra columns.
for (const adapter of [typed, KyselyAdapter(db), sqlite("a.db"), postgres("postgres://a"), mysql("mysql://a")])
  expectTypeOf(adapter).toExtend<Adapter>()

const user = await typed.getUser("ada")
expectTypeOf(user?.role).toEqualTypeOf<string | null | undefined>()
expectTypeOf(user?.age).toEqualTypeOf<number | null | undefined>()
expectTypeOf(user?.isAdmin).toEqualTypeOf<boolean | null | undefined>()
expectTypeOf(user?.bornAt).toEqualTypeOf<Date | null | undefined>()
expectTypeOf(user?.email).toEqualTypeOf<string | undefined>()

const found = await typed.getSessionAndUser("token")
expectTypeOf(found?.session.device).toEqualTypeOf<string | null | undefined>()
expectTypeOf(found?.user.role).toEqualTypeOf<string | null | undefined>()

await typed.updateUser({ id: "ada", role: "owner", bornAt: null })
// @ts-expect-error: the column contains text
await typed.updateUser({ id: "ada", role: 7 })
// @ts-expect-error: unknown column
await typed.updateUser({ id: "ada", rank: "owner" })
// @ts-expect-error: unknown kind
KyselyAdapter(db, { user: { extra: { role: "varchar" } } })
// @ts-expect-error: accounts have no extra columns
void typed.getAccount("1", "harbour")?.role

// The callbacks of a configuration know the extra columns, and the session is what the callback returns.
const config = defineAuth({
  adapter: typed,
  providers: [],
  callbacks: {
    signIn({ user }) {
      expectTypeOf(user.role).toEqualTypeOf<string | null | undefined>()
      return true
    },
    jwt({ token, user }) {
      expectTypeOf(user?.age).toEqualTypeOf<number | null | undefined>()
      return token
    },
    session({ session, user }) {
      expectTypeOf(user.isAdmin).toEqualTypeOf<boolean | null>()
      expectTypeOf(session.user.bornAt).toEqualTypeOf<Date | null>()
      return { expires: session.expires, user: { name: user.name ?? null, role: user.role } }
    },
  },
  events: { createUser: ({ user }) => void expectTypeOf(user.role).toEqualTypeOf<string | null>() },
})
interface Shown {
  expires: string
  user: { name: string | null; role: string | null }
}
expectTypeOf<SessionOf<typeof config>>().toEqualTypeOf<Shown>()
expectTypeOf<SessionOf<() => typeof config>>().toEqualTypeOf<Shown>()
expectTypeOf<SessionOf<(request: Request) => Promise<typeof config>>>().toEqualTypeOf<Shown>()
const plain = defineAuth({ adapter: sqlite("a.db"), providers: [] })
expectTypeOf<SessionOf<typeof plain>>().toEqualTypeOf<Session>()
expectTypeOf<SessionOf<{ providers: [] }>>().toEqualTypeOf<Session>()
expectTypeOf<SessionOf<typeof config>>().toExtend<DefaultSession>()

defineAuth({
  adapter: typed,
  providers: [],
  // @ts-expect-error: the table has no such column
  callbacks: { signIn: ({ user }) => user.shoeSize !== null },
})
