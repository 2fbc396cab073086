/** Variables by name, as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Whether the process says that it serves real people. Read where it is asked, since tests and bundlers set it late.
 */
export function isProduction(): boolean {
  const host = globalThis as { process?: { env?: Environment } } // Not every runtime has a `process`.
  return host.process?.env?.["NODE_ENV"] === "production"
}
