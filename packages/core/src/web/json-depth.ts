import { InvalidRequest } from "../errors/invalid-request.js"
import { defaultRequestLimits } from "./request-limits.js"

/**
 * Brackets outside of strings, and whole strings, whose brackets mean nothing. A string without an end reaches to the
 * end of the text, so that no part of it is looked at twice.
 */
const tokens = /"(?:[^"\\]|\\.?)*(?:"|$)|[[\]{}]/gs

/**
 * Refuses JSON nested so deeply that code walking it later would run out of stack.
 * @throws InvalidRequest
 */
export function assertShallow(text: string, maxDepth: number = defaultRequestLimits.jsonDepth): void {
  let depth = 0
  for (const [token] of text.matchAll(tokens)) {
    if (token === "{" || token === "[") depth++
    else if (token === "}" || token === "]") depth--
    if (depth > maxDepth) throw new InvalidRequest(`The JSON body is nested deeper than ${maxDepth} levels`)
  }
}
