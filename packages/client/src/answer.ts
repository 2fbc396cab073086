/** The content of an answer, or undefined where it is no JSON: then it is one that nobody can use. */
export async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    // A page in place of JSON is an answer that nobody can use, which is what the caller says of an empty one.
    return undefined
  }
}

export function readField(content: unknown, name: string): unknown {
  return typeof content === "object" && content !== null ? Reflect.get(content, name) : undefined
}

export function readText(content: unknown, name: string): string | undefined {
  const value = readField(content, name)
  return typeof value === "string" ? value : undefined
}

/** For the developer: which address answered with which status. */
export function describeAnswer({ status, url }: Response): string {
  const where = url === "" ? "" : ` at ${new URL(url).pathname}`
  return `The service answered with status ${status}${where}`
}
