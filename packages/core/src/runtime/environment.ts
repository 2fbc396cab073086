/** Variables by name, as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Whether the process says that it serves real people. Read where it is asked, since tests and bundlers set it late.
 */
export function isProduction(): boolean {
  const host = globalThis as { process?: { env?: Environment } } // Not every runtime has a `process`.
  return host.process?.env?.["NODE_ENV"] === "production"
}

/** What the environment may say of one provider. */
export interface FromEnvironment {
  readonly clientId?: string
  readonly clientSecret?: string
  readonly issuer?: string
  readonly apiKey?: string
}

export const suffixes: Readonly<Record<keyof FromEnvironment, string>> = {
  clientId: "ID",
  clientSecret: "SECRET",
  issuer: "ISSUER",
  apiKey: "KEY",
}

/** The variable that sets an option of a provider; undefined where none does. */
export function findVariable(id: string, option: string): string | undefined {
  return isField(option) ? toVariable(id, option) : undefined
}

function isField(option: string): option is keyof FromEnvironment {
  return Object.hasOwn(suffixes, option)
}

function toVariable(id: string, field: keyof FromEnvironment): string {
  return `AUTH_${id.toUpperCase().replaceAll("-", "_")}_${suffixes[field]}`
}
