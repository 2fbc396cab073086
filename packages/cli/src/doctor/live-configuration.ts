import type { Examined, ExaminedConfig } from "@latchkey/core/diagnosis"
import { type AppEnvironment, findLine, type Place } from "./app-files.js"
import type { Fix, FixPlace } from "./finding.js"

/** What the command asks the process for that loads the configuration. Sent as JSON. */
export interface LiveTask {
  /** The absolute path of the configuration. */
  readonly file: string
  /** The path that is shown. */
  readonly shownFile: string
  readonly url: string | null
  readonly sendMail: string | null
  /** Null: the DNS servers of the machine. */
  readonly dnsServer: string | null
  readonly environment: AppEnvironment
  readonly sources: readonly LiveSource[]
}

/** The sources that need the configuration itself. */
export type LiveSource = "configuration" | "store" | "mail" | "providers"

/** A loaded configuration, in the process that loaded it. */
export interface LiveConfiguration extends Pick<LiveTask, "environment" | "sendMail" | "dnsServer" | "shownFile"> {
  readonly examined: readonly Examined[]
  /** Null if the configuration cannot be read. */
  readonly config: ExaminedConfig | null
  /** The address of the site, by `--url`, else by `AUTH_URL`. */
  readonly base: URL | null
  /** The text of the file, for the lines to change. */
  readonly text: string
}

/** A line of an environment file or, if no file sets the variable, the variable itself. */
export function fixVariable({ environment }: Pick<LiveConfiguration, "environment">, name: string, text: string): Fix {
  return { where: "environment", text, ...findVariablePlace(environment, name) }
}

/** A line of the configuration. */
export function fixOption(
  live: Pick<LiveConfiguration, "text" | "shownFile">,
  option: string,
  text: string,
  where: FixPlace = "config",
): Fix {
  return { where, text, ...findOptionPlace(live, option) }
}

function findVariablePlace({ places, files }: AppEnvironment, name: string): Place {
  const [strongest] = files
  return places[name] ?? (strongest === undefined ? {} : { file: strongest })
}

/**
 * The line of an option by its path, such as `providers.github.clientId`: that of its last name that the file has. The line
 * of a provider is that of its factory or its id.
 */
function findOptionPlace({ text, shownFile }: Pick<LiveConfiguration, "text" | "shownFile">, option: string): Place {
  const names = option.split(/[.[\]]+/).filter((name) => name !== "" && !/^\d+$/.test(name))
  for (const name of names.toReversed()) {
    const isProvider = names[0] === "providers" && names[1] === name
    const word = name.replace(/[^\w-]/g, "").replaceAll("-", "[\\s-]?")
    const pattern = isProvider
      ? new RegExp(`["']${word}["']|^(?!\\s*(?:import|//|\\*)).*\\b${word.replaceAll("\\s", "")}\\b\\s*[(,\\]]`, "i")
      : new RegExp(`^(?!\\s*(?:import|//|\\*)).*\\b${word}\\b\\s*[:,(]`)
    const found = findLine(text, pattern)
    if (found.line !== undefined) return { file: shownFile, ...found }
  }
  return { file: shownFile }
}
