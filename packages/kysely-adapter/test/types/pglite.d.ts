// What our tests use of PGlite, whose own types need those of Emscripten.
import type { PGlite as KyselyPGlite } from "kysely"

export interface PGlite extends KyselyPGlite {
  exec(statements: string): Promise<unknown>
}

export declare const PGlite: new (folder?: string) => PGlite
