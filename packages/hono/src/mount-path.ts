import type { Context } from "hono"
import { routePath } from "hono/route"

/**
 * The path that the running middleware is mounted on: what stands before the wildcard of its pattern, base paths and
 * mounts of apps above it included. Empty when it is mounted for all paths, and where the pattern does not say.
 *
 * Counted in segments from the end, so that parameters are taken as they were sent, and so that it also holds where
 * the app routes by something else than the path (`getPath`).
 */
export function findMountPath(c: Context): string {
  const pattern = routePath(c)
  // A pattern of one's own (`:rest{.+}`) may stand for several segments.
  if (!pattern.endsWith("/*") || pattern.includes("{")) return ""
  const mounted = toSegments(pattern).length - 1
  if (mounted === 0) return ""
  const rest = toSegments(c.req.path).length - mounted
  const sent = toSegments(new URL(c.req.url).pathname)
  const before = sent.slice(0, Math.max(sent.length - rest, 0))
  return before.length === 0 ? "" : `/${before.join("/")}`
}

function toSegments(path: string): readonly string[] {
  return path.replace(/^\//, "").split("/")
}
