import { isBelow } from "@latchkey/core/integration"

/** Where the service stands in an app, and where visitors find it. */
export interface Mount {
  /** As Next's routes see it, without Next's own `basePath`: `/api/auth`. */
  readonly path: string
  /** As visitors see it. */
  readonly publicPath: string
}

const defaultMount = "/api/auth"

/** Next's own `basePath`, which its build writes into every bundle. */
export function readAppPath(): string {
  return process.env.__NEXT_ROUTER_BASEPATH ?? ""
}

/**
 * The mount is what the configuration says, else the path of `AUTH_URL`; either may name Next's `basePath` as well.
 * `AUTH_URL` may also name what a proxy in front takes away, if it ends with the mount.
 */
export function findMount(configured: string | undefined, fromEnv: string | undefined, appPath: string): Mount {
  const publicPath = trimPath(fromEnv)
  const path = withoutAppPath(trimPath(configured), appPath) || chooseMount(publicPath, appPath)
  const own = `${appPath}${path}`
  return { path, publicPath: publicPath.endsWith(own) ? publicPath : own }
}

/** The path of a page of the app as visitors see it. Addresses of other sites stay as they are. */
export function toPublicPage(page: string, appPath: string): string {
  if (appPath === "" || !/^\/(?!\/)/.test(page) || isBelow(page.split(/[?#]/, 1)[0] ?? "", appPath)) return page
  return page === "/" ? appPath : `${appPath}${page}`
}

function chooseMount(publicPath: string, appPath: string): string {
  if (publicPath === "" || publicPath === appPath || publicPath.endsWith(defaultMount)) return defaultMount
  return withoutAppPath(publicPath, appPath)
}

function withoutAppPath(path: string, appPath: string): string {
  return appPath !== "" && isBelow(path, appPath) ? path.slice(appPath.length) : path
}

function trimPath(path: unknown): string {
  // An option of another type is the core's to refuse.
  const trimmed = typeof path === "string" ? path.replace(/^\/+|\/+$/g, "") : ""
  return trimmed === "" ? "" : `/${trimmed}`
}
