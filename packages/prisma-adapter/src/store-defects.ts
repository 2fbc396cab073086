import {
  type Catalog,
  findDatabaseDefects,
  type InspectedColumn,
  type InspectedTable,
  type RecordName,
  recordModels,
} from "@latchkey/adapter-kit"
import type { StoreDefect } from "@latchkey/core/adapters"
import { hasFields } from "./model-fields.js"
import type { PrismaModel } from "./model-records.js"
import type { RunQuery } from "./prisma-failure.js"

type Models = Readonly<Partial<Record<RecordName, PrismaModel>>>

/** The names of a model in the database, as generated clients have them. */
interface RuntimeModel {
  readonly dbName?: string | null
  readonly schema?: string | null
  readonly fields: readonly { readonly name: string; readonly dbName?: string | null }[]
}

/** What generated clients have, but do not declare. */
interface GeneratedClient {
  readonly _activeProvider?: string
  readonly _runtimeDataModel?: { readonly models?: Readonly<Record<string, RuntimeModel>> }
  $queryRawUnsafe?(query: string): PromiseLike<readonly Readonly<Record<string, unknown>>[]>
}

const kinds: Readonly<Record<string, Catalog["kind"]>> = {
  postgresql: "postgres",
  postgres: "postgres",
  mysql: "mysql",
  sqlite: "sqlite",
}

/**
 * What is wrong with the tables that exist, and with the clock of the database. Writes nothing. Empty for other databases, and
 * for a client that does not tell the names of its tables.
 */
export async function findStoreDefects(prisma: Models, run: RunQuery): Promise<readonly StoreDefect[]> {
  // as: each of them may be missing.
  const client = prisma as GeneratedClient
  const { _activeProvider: provider = "", _runtimeDataModel: { models } = {} } = client
  const kind = kinds[provider]
  if (kind === undefined || models === undefined || client.$queryRawUnsafe === undefined) return []
  const catalog: Catalog = {
    kind,
    async list(query) {
      const operation = { name: "$queryRawUnsafe", hasField: () => false }
      const rows = await run(operation, () => client.$queryRawUnsafe?.(query) ?? Promise.resolve([]))
      return rows.map(({ a, b, c, d }) => [a, b, c, d])
    },
  }
  return findDatabaseDefects(catalog, listTables(prisma, models))
}

/** The models that every adapter has. Another one may be the host's own, that has such a name by chance. */
const own: readonly string[] = ["user", "account", "session", "verificationToken", "authenticator"]

function listTables(prisma: Models, models: Readonly<Record<string, RuntimeModel>>): readonly InspectedTable[] {
  // as: the names of the records are the keys.
  return (Object.keys(recordModels) as RecordName[]).flatMap((name) => {
    const [model] = Object.entries(models).filter(([key]) => key[0]?.toLowerCase() + key.slice(1) === name)
    const isUsed = own.includes(name) || hasFields(name, prisma[name]?.fields ?? {})
    return model && prisma[name] && isUsed ? [toInspected(name, ...model)] : []
  })
}

function toInspected(name: RecordName, modelName: string, { dbName, schema, fields }: RuntimeModel): InspectedTable {
  const { key, fields: kept } = recordModels[name]
  const columnOf = (field: string) => fields.find((each) => each.name === field)?.dbName ?? field
  const uniques = name === "user" ? [key, ["email"]] : [key]
  const identifying = new Set(uniques.flat())
  const columns = Object.entries(kept).flatMap(([field, [kind]]): InspectedColumn[] => {
    const isToken = name === "account" && kind === "text" && /token$/.test(field)
    return isToken || identifying.has(field) ? [{ name: columnOf(field), use: isToken ? "token" : "key" }] : []
  })
  return {
    name: dbName ?? modelName,
    schema: schema ?? undefined,
    uniques: uniques.map((names) => names.map(columnOf)),
    columns,
  }
}
