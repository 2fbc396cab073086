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
