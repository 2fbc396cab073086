/// <reference path="../types/env.d.ts" />
import type { MountOptions } from "@latchkey/core/integration"

type Environment = MountOptions["env"]

/** Variables by name, of which only texts count: what an app has validated may be anything. */
export type Variables = Readonly<Record<string, unknown>>

/**
 * The environment of an app: what SvelteKit knows as its private variables, before those of the process.
 * @param given The private variables, where the app hands them over. Default: `$env/dynamic/private`.
 */
export async function findEnvironment(given: Variables | undefined): Promise<Environment> {
  const own = given ?? (await importVariables())
  return { ...buildMode(), ...toTexts(globalThis.process?.env), ...toTexts(own) }
}

/**
 * The name is one of SvelteKit's build. Nobody answers to it outside of a build, nor while SvelteKit 2 prerenders: then
 * there is the process.
 */
async function importVariables(): Promise<Variables> {
  try {
    const { env } = await import("$env/dynamic/private")
    return { ...env }
  } catch {
    return {}
  }
}

/** A server that was built serves real people, though not every adapter sets `NODE_ENV`. */
function buildMode(): Environment {
  return import.meta.env?.PROD ? { NODE_ENV: "production" } : {}
}

function toTexts(variables: Variables = {}): Environment {
  return Object.fromEntries(Object.entries(variables).filter(isText))
}

function isText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === "string"
}
