import type { StoreDefect } from "@latchkey/core/adapters"

/** What asks a database about its own tables. */
export interface Catalog {
  readonly kind: "sqlite" | "postgres" | "mysql"
  /**
   * Runs a query without parameters, and returns the values of each row in their order. Its columns are named `a`, `b`, `c` and `d`.
   * It can stand in the `from` of another one.
   */
  list(query: string): Promise<readonly (readonly unknown[])[]>
}

/** A table that an adapter uses, with the names that the database has. */
export interface InspectedTable {
  readonly name: string
  /** Default: where the connection looks for tables. */
  readonly schema?: string | undefined
  /** The columns that must be unique together. */
  readonly uniques: readonly (readonly string[])[]
  /** The columns that are judged, in the order of the findings. */
  readonly columns: readonly InspectedColumn[]
}

/** A column of a table that an adapter uses. */
export interface InspectedColumn {
  readonly name: string
  /** `token`: text of a provider, which may be long. `key`: text that identifies rows. */
  readonly use: "token" | "key"
  /** The statement that gives the column the type of a new table. Default: one for the type that the column needs. */
  readonly statement?: string | undefined
}

/** A column as the database has it. */
interface FoundColumn {
  /** Characters. Null without a limit. */
  readonly length: number | null
  /** What may differ in texts that it takes for equal, such as "case". */
  readonly ignored: readonly string[]
  readonly isNullable: boolean
}

/** The least length of a column for tokens: access tokens of large providers have 2,000 characters and more. */
const tokenLength = 2048
/** As far as clocks may differ before rows expire at another time than the service assumes. */
const maxClockSeconds = 30

/** What is wrong with the tables that exist, and with the clock of the database. Reads its catalog, and writes nothing. */
export async function findDatabaseDefects(
  catalog: Catalog,
  tables: readonly InspectedTable[],
): Promise<readonly StoreDefect[]> {
  const defects: StoreDefect[] = []
  for (const table of tables) {
    const columns = await readColumns(catalog, table)
    if (columns.size === 0) continue
    defects.push(...(await findMissingIndexes(catalog, table)))
    for (const column of table.columns) {
      const found = columns.get(column.name)
      if (found) defects.push(...(await judge(catalog, table, column, found)))
    }
  }
  return [...defects, ...(await findClockDefect(catalog))]
}

const nameOf = ({ schema, name }: InspectedTable) => (schema === undefined ? name : `${schema}.${name}`)

async function findMissingIndexes(catalog: Catalog, table: InspectedTable): Promise<readonly StoreDefect[]> {
  const rows = await catalog.list(uniqueQueries[catalog.kind](table))
  const found = [...Map.groupBy(rows, ([index]) => String(index)).values()].map((parts) =>
    parts.map(([, column]) => String(column)),
  )
  // A unique index over some of the columns makes all of them unique.
  const isUnique = (columns: readonly string[]) =>
    found.some((index) => index.length > 0 && index.every((name) => columns.includes(name)))
  const missing = table.uniques.filter((columns) => !isUnique(columns))
  const quote = (name: string) => quoteName(catalog.kind, name)
  return missing.map((columns) => {
    const index = quote([table.name, ...columns, "key"].join("_"))
    return {
      kind: "index",
      sentence: `${nameOf(table)} has no unique index on ${columns.join(" and ")}, so of two sign-ins at once both create a row`,
      statement: `create unique index ${index} on ${quoteTable(catalog.kind, table)} (${columns.map(quote).join(", ")})`,
    }
  })
}

const uniqueQueries: Readonly<Record<Catalog["kind"], (table: InspectedTable) => string>> = {
  sqlite({ name, schema = "main" }) {
    const [own, of] = [quoteText(name), quoteText(schema)]
    return `select l.name as a, i.name as b, 0 as c, 0 as d from pragma_index_list(${own}, ${of}) as l, pragma_index_info(l.name, ${of}) as i
      where l."unique" = 1 and l.partial = 0
      union all select ' key' as a, name as b, 0 as c, 0 as d from pragma_table_info(${own}, ${of}) where pk > 0`
  },
  postgres: (table) => `select i.indexrelid::text as a, a.attname::text as b, 0 as c, 0 as d from pg_index i
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
    where i.indrelid = to_regclass(${quoteText(quoteTable("postgres", table))}) and i.indisunique and i.indisvalid
      and i.indpred is null and i.indexprs is null`,
  mysql: (table) => `select index_name as a, column_name as b, 0 as c, 0 as d from information_schema.statistics
    where ${isTable(table)} and non_unique = 0`,
}

async function readColumns(catalog: Catalog, table: InspectedTable): Promise<ReadonlyMap<string, FoundColumn>> {
  const rows = await catalog.list(columnQueries[catalog.kind](table))
  const toColumn = ([, length, collation, isNullable]: readonly unknown[]): FoundColumn => ({
    length: length === null || length === undefined ? null : Number(length),
    ignored: typeof collation === "string" ? ignoredBy[catalog.kind](collation) : [],
    isNullable: Number(isNullable) === 1,
  })
  return new Map(rows.map((row) => [String(row[0]), toColumn(row)]))
}

/** What collations ignore, by their names. */
const ignoredBy: Readonly<Record<Catalog["kind"], (collation: string) => readonly string[]>> = {
  sqlite: () => [],
  postgres: (collation) => (collation === "citext" ? ["case"] : [`what the collation ${collation} ignores`]),
  mysql: (collation) => [
    ...(collation.endsWith("_ci") ? ["case"] : []),
    ...(collation.endsWith("_ci") && !collation.includes("_as_") ? ["accents"] : []),
    // All others of MySQL pad the shorter text with spaces, `utf8mb4_bin` too.
    ...(/_(?:0900|nopad)_/.test(collation) ? [] : ["spaces at the end"]),
    // Collations of Unicode give no weight to some characters, and the same to all ways to compose a letter.
    ...(/_(?:0900|uca1400|unicode)_/.test(collation) && !collation.endsWith("_bin") ? ["invisible characters"] : []),
  ],
}

const columnQueries: Readonly<Record<Catalog["kind"], (table: InspectedTable) => string>> = {
  // SQLite ignores lengths, and adapters name the collation of each comparison.
  sqlite: ({ name, schema = "main" }) =>
    `select name as a, null as b, 0 as c, 1 as d from pragma_table_info(${quoteText(name)}, ${quoteText(schema)})`,
  postgres: (table) => `select a.attname::text as a,
      case when t.typname in ('varchar', 'bpchar') and a.atttypmod > 4 then a.atttypmod - 4 end as b,
      case when t.typname = 'citext' then 'citext' when c.collisdeterministic = false then c.collname::text end as c,
      case when a.attnotnull then 0 else 1 end as d
    from pg_attribute a join pg_type t on t.oid = a.atttypid left join pg_collation c on c.oid = a.attcollation
    where a.attrelid = to_regclass(${quoteText(quoteTable("postgres", table))}) and a.attnum > 0 and not a.attisdropped`,
  mysql: (table) => `select column_name as a, character_maximum_length as b,
      case when data_type <> 'char' or collation_name not like '%\\_bin' then collation_name end as c,
      case when is_nullable = 'YES' then 1 else 0 end as d
    from information_schema.columns where ${isTable(table)}`,
}

/** In the connection's own database if the table names none. */
function isTable(table: InspectedTable): string {
  return `table_schema = ${schemaOf(table)} and table_name = ${quoteText(table.name)}`
}

function schemaOf({ schema }: InspectedTable): string {
  return schema === undefined ? "database()" : quoteText(schema)
}

function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function quoteName(kind: Catalog["kind"], name: string): string {
  return kind === "mysql" ? `\`${name.replaceAll("`", "``")}\`` : `"${name.replaceAll('"', '""')}"`
}

function quoteTable(kind: Catalog["kind"], { schema, name }: InspectedTable): string {
  return [schema, name].flatMap((part) => (part === undefined ? [] : quoteName(kind, part))).join(".")
}

async function judge(
  catalog: Catalog,
  table: InspectedTable,
  column: InspectedColumn,
  found: FoundColumn,
): Promise<readonly StoreDefect[]> {
  const { kind } = catalog
  if (kind === "sqlite") return []
  const name = `${nameOf(table)}.${column.name}`
  const statement = column.statement ?? alterColumn(kind, table, column, found)
  if (column.use === "token") {
    const { length } = found
    const sentence = `${name} holds ${length} characters, and the tokens of many providers are longer`
    return length !== null && length < tokenLength ? [{ kind: "column", sentence, statement }] : []
  }
  if (found.ignored.length === 0) return []
  const differences = new Intl.ListFormat("en", { type: "disjunction" }).format(found.ignored)
  const sentence = `${name} takes texts for equal that differ in ${differences}, so such ids and addresses collide`
  const linked = kind === "mysql" ? await alterLinked(catalog, table, column) : null
  return [{ kind: "collation", sentence, statement: linked ?? statement }]
}

/** MySQL and MariaDB change no column of a foreign key: it has to be made again. Null for a column without one. */
async function alterLinked(catalog: Catalog, table: InspectedTable, { name }: InspectedColumn): Promise<string | null> {
  const keys = "information_schema.key_column_usage"
  const [reference] = await catalog.list(`select referenced_table_name as a, referenced_column_name as b, 0 as c, 0 as d
    from ${keys} where ${isTable(table)} and column_name = ${quoteText(name)} and referenced_table_name is not null`)
  const [of, column] = reference ? [String(reference[0]), String(reference[1])] : [table.name, name]
  const target = `k.referenced_table_name = ${quoteText(of)} and k.referenced_column_name = ${quoteText(column)}`
  const linked = await catalog.list(`select k.table_name as a, k.column_name as b, k.constraint_name as c,
      concat(r.delete_rule, ' on update ', r.update_rule) as d
    from ${keys} k join information_schema.referential_constraints r
      on r.constraint_schema = k.constraint_schema and r.constraint_name = k.constraint_name
    where k.table_schema = ${schemaOf(table)} and ${target}`)
  if (linked.length === 0) return null
  const quote = (value: unknown) => quoteName("mysql", String(value))
  const alter = (name: unknown) => `alter table ${quoteTable("mysql", { ...table, name: String(name) })}`
  const columns = [[of, column], ...linked]
  const changed = await catalog.list(`select table_name as a, column_name as b, column_type as c,
      case when is_nullable = 'YES' then '' else ' not null' end as d from information_schema.columns
    where table_schema = ${schemaOf(table)} and (table_name, column_name) in
      (${columns.map(([one, own]) => `(${quoteText(String(one))}, ${quoteText(String(own))})`).join(", ")})`)
  const references = `references ${quoteTable("mysql", { ...table, name: of })} (${quote(column)})`
  return [
    ...linked.map(([own, , key]) => `${alter(own)} drop foreign key ${quote(key)}`),
    ...changed.map(([own, one, type, nullness]) => `${alter(own)} modify ${quote(one)} ${type} ${exact}${nullness}`),
    ...linked.map(
      ([own, one, key, rules]) =>
        `${alter(own)} add constraint ${quote(key)} foreign key (${quote(one)}) ${references} on delete ${rules}`,
    ),
  ].join("; ")
}

/** MySQL and MariaDB have different names for the collation that compares exactly: each reads the comment addressed to it. */
const exact = "character set utf8mb4 /*!80017 collate utf8mb4_0900_bin */ /*M!100200 collate utf8mb4_nopad_bin */"
const keyLength = 255

function alterColumn(
  kind: "postgres" | "mysql",
  table: InspectedTable,
  { name, use }: InspectedColumn,
  { length, isNullable }: FoundColumn,
): string {
  const [of, column] = [quoteTable(kind, table), quoteName(kind, name)]
  if (kind === "postgres") {
    const collation = use === "key" ? ' collate "default"' : ""
    return `alter table ${of} alter column ${column} type text${collation}`
  }
  const type = use === "token" ? "mediumtext" : `varchar(${Math.min(length ?? keyLength, keyLength)})`
  return `alter table ${of} modify ${column} ${type} ${exact}${isNullable ? "" : " not null"}`
}

const nowQueries: Readonly<Record<Catalog["kind"], string | null>> = {
  // The database runs in the process of the app.
  sqlite: null,
  postgres: "select extract(epoch from clock_timestamp()) as a, 0 as b, 0 as c, 0 as d",
  mysql: "select unix_timestamp(now(3)) as a, 0 as b, 0 as c, 0 as d",
}

async function findClockDefect({ kind, list }: Catalog): Promise<readonly StoreDefect[]> {
  const query = nowQueries[kind]
  const [row] = query === null ? [] : await list(query)
  const ahead = row ? Number(row[0]) - Date.now() / 1000 : 0
  if (!(Math.abs(ahead) > maxClockSeconds)) return []
  const seconds = Math.round(Math.abs(ahead))
  const sentence = `The clock of the database is ${seconds} seconds ${ahead > 0 ? "ahead of" : "behind"} that of this machine`
  return [{ kind: "clock", sentence, statement: "timedatectl set-ntp true" }]
}
