import { readdirSync } from "node:fs"
import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OIDCConfig } from "../../src/types/oauth-provider.js"
import type { NamedFacts } from "./provider-facts.js"

const folder = new URL("../../src/providers/", import.meta.url)

/** The file names of all provider modules. */
export const moduleFiles: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith(".ts") && !file.includes(".test.") && file !== "index.ts")
  .sort()

export function moduleUrl(file: string): URL {
  return new URL(file, folder)
}

type OAuthProvider = OAuth2Config<AnyValue> | OIDCConfig<AnyValue>
export type OAuthFactory = (options: Readonly<Record<string, string>>) => OAuthProvider

export const clientOptions = { clientId: "client-1", clientSecret: "secret-1" }

/** The default export of a module. */
export async function importFactory(file: string): Promise<OAuthFactory> {
  const { default: factory }: { readonly default: OAuthFactory } = await import(moduleUrl(`${file}.ts`).href)
  return factory
}

/** A provider with its required options. */
export async function createProvider({ file, options }: NamedFacts): Promise<OAuthProvider> {
  const factory = await importFactory(file)
  return factory({ ...clientOptions, ...options })
}
