/** `$app/paths` of SvelteKit: `base` in version 2, `resolve` in version 3 and late releases of version 2. */
interface AppPaths {
  readonly base?: unknown
  readonly resolve?: unknown
}

/**
 * The public path for a path of the app: below `paths.base`, if the app sets it.
 * @param path With a leading slash.
 */
export function toAppPath(path: string, { base, resolve }: AppPaths): string {
  if (typeof base === "string") return `${base}${path}`
  const resolved: unknown = typeof resolve === "function" ? resolve(path) : path
  return String(resolved)
}

/**
 * {@link toAppPath} with the paths of the app's build. Call it when a module is loaded: while SvelteKit renders a page, it
 * may return a relative path. Outside a build `$app/paths` does not exist, and the path is returned unchanged.
 */
export async function findAppPath(path: string): Promise<string> {
  try {
    return toAppPath(path, await import("$app/paths"))
  } catch {
    return path
  }
}
