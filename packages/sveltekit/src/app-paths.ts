/** Of SvelteKit's `$app/paths`: `base` in version 2, `resolve` in version 3 and the later ones of version 2. */
interface AppPaths {
  readonly base?: unknown
  readonly resolve?: unknown
}

/**
 * Where visitors find a path of the app: below `paths.base`, where the app has set one.
 * @param path With a leading slash.
 */
export function toAppPath(path: string, { base, resolve }: AppPaths): string {
  if (typeof base === "string") return `${base}${path}`
  const resolved: unknown = typeof resolve === "function" ? resolve(path) : path
  return String(resolved)
}

/**
 * As {@link toAppPath}, with what the build of the app says. Asked while a page is rendered, SvelteKit may answer with a
 * relative path. Outside of a build nobody answers to that name, and the path is what it is.
 */
export async function findAppPath(path: string): Promise<string> {
  try {
    return toAppPath(path, await import("$app/paths"))
  } catch {
    return path
  }
}
