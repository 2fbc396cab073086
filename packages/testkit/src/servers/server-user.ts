import { execFileSync } from "node:child_process"

/** A user of the system by its numbers, as `spawn` takes them. */
export interface ServerUser {
  readonly uid: number
  readonly gid: number
}

/**
 * Whose rights a server takes that refuses to run as root: those of the first of the named users that the system has.
 * Undefined where this process is not root, and so needs nobody else.
 * @throws Error when the system has none of them
 */
export function findServerUser(names: readonly string[]): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const user = names.map(findUser).find((found) => found !== undefined)
  if (user === undefined) throw new Error(`The system has no user ${names.join(" or ")}`)
  return user
}

function findUser(name: string): ServerUser | undefined {
  const idOf = (kind: string) => Number(execFileSync("id", [kind, name], { encoding: "utf8", stdio: "pipe" }))
  try {
    return { uid: idOf("-u"), gid: idOf("-g") }
  } catch {
    return undefined // No such user: the next name is asked for.
  }
}
