import type { Request } from "express"

/**
 * The path that the middleware is mounted on: what stands before the wildcard of its pattern, mounts of routers and
 * apps above it included. Empty when it is mounted for all paths.
 *
 * A wildcard's value is a text under a number in Express 4 (`/auth/*`) and a list under its name in Express 5
 * (`/auth/*splat`). `use` leaves what matched in `baseUrl`; `all` and its kin leave it in `path`.
 */
export function findMountPath({ baseUrl, params, path }: Pick<Request, "baseUrl" | "params" | "path">): string {
  const rest = findWildcard(params)
  if (rest === undefined) return withoutTrailingSlash(baseUrl)
  return findBefore(baseUrl, rest) ?? findBefore(baseUrl + path, rest) ?? withoutTrailingSlash(baseUrl)
}

function findWildcard(params: Readonly<Record<string, string | string[] | undefined>>): string | undefined {
  const values = Object.entries(params).map(([name, value]) => {
    if (Array.isArray(value)) return value.join("/")
    return /^\d+$/.test(name) ? value : undefined
  })
  return values.findLast((value) => value !== undefined)
}

/** What stands before the slash after which `path`, once decoded, is `rest`. */
function findBefore(path: string, rest: string): string | undefined {
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
    if (decode(path.slice(slash + 1)) === rest) return withoutTrailingSlash(path.slice(0, slash))
  }
  return undefined
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined // Cut in the middle of a percent-encoded character, which no wildcard begins with.
  }
}

/** By a loop: a pattern would look at each slash of a path once for each slash before it. */
function withoutTrailingSlash(path: string): string {
  let end = path.length
  while (path[end - 1] === "/") end--
  return path.slice(0, end)
}
