import { parseAuthPath } from "../http/request.js"
import { isBelow } from "./settings.js"

/** Whether the service answers a path. The others below its base path are pages of the host. */
export function isServicePath(path: string, basePath: string): boolean {
  if (!isBelow(path, basePath)) return false
  try {
    parseAuthPath(path, basePath)
    return true
  } catch {
    return false // Thrown for what is no action.
  }
}
