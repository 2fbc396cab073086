import { isMissingColumn, type RecordStore } from "@latchkey/adapter-kit"
import type { Table } from "../tables/table.js"

interface HostTableOptions {
  readonly table: Table
  /** The option that gives the table another name. */
  readonly option: string
  /** Whether the statements are in a transaction of the host, which an error ends in PostgreSQL. */
  readonly isJoined: boolean
}

/**
 * The rows of a table that the host may have for a purpose of its own. A method that needs the table names the option to
 * set, and the removal of expired rows removes none: its statements name every column, so they fail on another table.
 */
export function explainHostTable<T>(rows: RecordStore<T>, options: HostTableOptions): RecordStore<T> {
  const explain = (error: unknown): never => {
    throw isMissingColumn(error) ? new Error(toMessage(options), { cause: error }) : error
  }
  const skip = (error: unknown): number => (isMissingColumn(error) && !options.isJoined ? 0 : explain(error))
  const guard = <A extends unknown[], R>(method: (...args: A) => R, onError: (error: unknown) => R) => {
    return (...args: A): R => {
      try {
        const result = method(...args)
        return result instanceof Promise ? (result.catch(onError) as R) : result // as: R is that promise
      } catch (error) {
        return onError(error)
      }
    }
  }
  return {
    hasField: rows.hasField,
    find: guard(rows.find, explain),
    list: guard(rows.list, explain),
    insert: guard(rows.insert, explain),
    insertMany: rows.insertMany && guard(rows.insertMany, explain),
    findMistake: rows.findMistake,
    listAny: rows.listAny && guard(rows.listAny, explain),
    insertOnce: guard(rows.insertOnce, explain),
    update: guard(rows.update, explain),
    updateIf: guard(rows.updateIf, explain),
    raise: guard(rows.raise, explain),
    remove: guard(rows.remove, explain),
    removeAll: guard(rows.removeAll, explain),
    lock: guard(rows.lock, explain),
    removeBefore: guard(rows.removeBefore, skip),
  }
}

function toMessage({ table: { name }, option }: HostTableOptions): string {
  return `The table ${name} belongs to another schema. Choose another name with the option ${option}: { name: ... }, and create the table with the SQL of \`latchkey migrate --print\``
}
