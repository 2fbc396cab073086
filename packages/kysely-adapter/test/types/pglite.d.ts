// The part of PGlite that the tests use. Its own types depend on those of Emscripten.
import type { PGlite as KyselyPGlite } from "kysely"

export interface PGlite extends KyselyPGlite {
  exec(statements: string): Promise<unknown>
}

export declare const PGlite: new (folder?: string) => PGlite
