import { type RawBuilder, sql } from "kysely"
import type { Column, ColumnKind } from "../tables/column.js"
import { type SqlParameter, toKeyParameter } from "./column-value.js"
import type { ExactMatch, SqlDialect } from "./dialect.js"

/** Fields of a record that together find rows. */
export type Key = Readonly<Record<string, unknown>>

/** Stands where a parameter goes while a statement is compiled. */
export const placeholder = ""

const plainMatch: ExactMatch = {
  parameters: 1,
  compare: (column, value) => sql<boolean>`${column} = ${value}`,
}

/** That a row has a key, in as many comparisons as it has columns. */
export function matchesKey(columns: readonly Column[], dialect: SqlDialect, alias?: string): RawBuilder<boolean> {
  const comparisons = columns.map(({ name, kind }) => {
    const reference = sql.ref(alias === undefined ? name : `${alias}.${name}`)
    return matchOf(kind, dialect).compare(reference, placeholder)
  })
  return sql<boolean>`${sql.join(comparisons, sql` and `)}`
}

/**
 * The parameters of `matchesKey`, in the order of its placeholders; null where no row can have the key.
 * @throws TypeError that names the field when a value is not text at all
 */
export function keyParameters(columns: readonly Column[], key: Key, dialect: SqlDialect): SqlParameter[] | null {
  const parameters: SqlParameter[] = []
  for (const column of columns) {
    const parameter = toKeyParameter(key[column.field], column, dialect)
    if (parameter === undefined) return null
    for (let copy = 0; copy < matchOf(column.kind, dialect).parameters; copy += 1) parameters.push(parameter)
  }
  return parameters
}

function matchOf(kind: ColumnKind, { textMatch }: SqlDialect): ExactMatch {
  return kind === "key" || kind === "longKey" || kind === "text" ? textMatch : plainMatch
}
