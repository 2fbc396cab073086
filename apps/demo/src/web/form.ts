import type { Request } from "express"

/** A field of a posted form, without space around it. Empty when it is absent or not plain text. */
export function readField(request: Request, name: string): string {
  const body: unknown = request.body
  if (typeof body !== "object" || body === null) return ""
  const fields: Partial<Record<string, unknown>> = { ...body }
  const value = fields[name]
  return typeof value === "string" ? value.trim() : ""
}
