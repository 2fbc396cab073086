import { InvalidRequest } from "../errors/invalid-request.js"

const maxDepth = 32

/**
 * Refuses JSON nested so deeply that code walking it later would run out of stack.
 * @throws InvalidRequest
 */
export function assertShallow(text: string): void {
  let depth = 0
  let isInString = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (isInString) {
      if (character === "\\") index++
      else if (character === '"') isInString = false
    } else if (character === '"') isInString = true
    else if (character === "{" || character === "[") depth++
    else if (character === "}" || character === "]") depth--
    if (depth > maxDepth) throw new InvalidRequest(`The JSON body is nested deeper than ${maxDepth} levels`)
  }
}
