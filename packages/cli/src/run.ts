import { migrateTables } from "./migrate-tables.js"
import { type Surroundings, UsageError } from "./surroundings.js"

const usage = `Usage: latchkey <command>

  migrate   brings the tables of @latchkey/kysely-adapter to the version that is installed

latchkey <command> --help says more.
`

/** Runs a command. @returns The exit code: 0; 1 when it failed or refused; 2 when it was called wrongly. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const [command, ...rest] = args
  try {
    if (command === "migrate") await migrateTables(rest, surroundings)
    else if (command === "--help" || command === "-h") surroundings.say(usage)
    else throw new UsageError(command === undefined ? usage : `There is no command "${command}".\n\n${usage}`)
    return 0
  } catch (error) {
    surroundings.complain(`${toMessage(error)}\n`)
    return isMisuse(error) ? 2 : 1
  }
}

/** `parseArgs` has errors of its own for options that it does not know. */
function isMisuse(error: unknown): boolean {
  if (error instanceof UsageError) return true
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS")
}

/** A failed connection to several addresses has no message of its own. */
function toMessage(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(toMessage).join("\n")
  return error instanceof Error ? error.message : String(error)
}
