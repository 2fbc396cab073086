/** Runs a statement in a database, and returns its rows. */
type Query = (text: string) => Promise<readonly unknown[]>

type Found = Readonly<Record<"a" | "b" | "c" | "d", string>>

async function list(query: Query, text: string): Promise<readonly Found[]> {
  return (await query(text)) as readonly Found[] // as: the columns of the statements below
}

/**
 * Gives every text column of a MariaDB database a collation, keys of bytes included, and drops the foreign keys: tables that
 * a host made.
 */
export async function collateMariadb(query: Query, collation: string): Promise<void> {
  const references = `select table_name as a, constraint_name as b from information_schema.referential_constraints
    where constraint_schema = database()`
  for (const { a, b } of await list(query, references)) await query(`alter table \`${a}\` drop foreign key \`${b}\``)
  const columns = `select table_name as a, column_name as b, is_nullable as d,
      if(data_type = 'varbinary', 'varchar(191)', column_type) as c from information_schema.columns
    where table_schema = database() and (data_type in ('char', 'varchar', 'varbinary') or data_type like '%text')`
  for (const { a, b, c, d } of await list(query, columns)) {
    const nullness = d === "YES" ? "" : "not null"
    await query(`alter table \`${a}\` modify \`${b}\` ${c} character set utf8mb4 collate ${collation} ${nullness}`)
  }
}

/** The same for PostgreSQL, with a collation of ICU that ignores case and accents. */
export async function collatePostgres(query: Query): Promise<void> {
  await query("create collation lenient (provider = icu, locale = 'und-u-ks-level1', deterministic = false)")
  const references = `select conrelid::regclass::text as a, conname::text as b from pg_constraint
    where contype = 'f' and connamespace = current_schema()::regnamespace`
  for (const { a, b } of await list(query, references)) await query(`alter table ${a} drop constraint "${b}"`)
  const columns = `select attrelid::regclass::text as a, attname::text as b from pg_attribute
    join pg_class c on c.oid = attrelid and c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
    where attnum > 0 and not attisdropped and atttypid in ('text'::regtype, 'varchar'::regtype)`
  for (const { a, b } of await list(query, columns)) {
    await query(`alter table ${a} alter column "${b}" type text collate lenient`)
  }
}

/** Collations of MariaDB that take different texts for equal: letters of any case, accents, and spaces at the end. */
export const lenientCollations = ["utf8mb4_general_ci", "utf8mb4_uca1400_ai_ci", "utf8mb4_bin"] as const
