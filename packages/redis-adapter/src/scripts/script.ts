import { hash } from "node:crypto"

/** A Lua script: to a server it is one step. */
export interface Script {
  readonly text: string
  /** SHA-1 of the text, by which servers know scripts. */
  readonly sha: string
}

export function defineScript(text: string): Script {
  return { text, sha: hash("sha1", text) }
}
