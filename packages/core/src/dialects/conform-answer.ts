/** The fields of a JSON object that a vendor answered. */
export type AnswerFields = Readonly<Record<string, unknown>>

/**
 * A `token.conform` that repairs the fields of a successful answer; what is no JSON object stays as it is. A repair
 * that returns `error` turns the answer into a refusal, RFC 6749 section 5.2.
 */
export function conformAnswer(repair: (fields: AnswerFields) => AnswerFields): (answer: Response) => Promise<Response> {
  return async (answer) => {
    const text = await answer.text()
    const fields = answer.ok ? parseFields(text) : null
    if (fields === null) return new Response(text || null, { status: answer.status, headers: answer.headers })
    const repaired = repair(fields)
    return Response.json(repaired, { status: "error" in repaired ? 400 : 200 })
  }
}

function parseFields(text: string): AnswerFields | null {
  try {
    const value: unknown = JSON.parse(text)
    // A JSON object has text as keys.
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as AnswerFields) : null
  } catch {
    return null // Which the reader of the answer reports.
  }
}

/** For answers that leave out `token_type`, which RFC 6749 section 5.1 requires. */
export function withTokenType(fields: AnswerFields): AnswerFields {
  return { token_type: "bearer", ...fields }
}

/** For answers that list the scopes, where RFC 6749 section 3.3 has one text. */
export function withScopeText({ scope, ...fields }: AnswerFields): AnswerFields {
  if (scope === undefined) return fields
  return { ...fields, scope: Array.isArray(scope) ? scope.join(" ") : scope }
}
