import type { Context } from "hono"

/** Headers that tell how a body was sent, not what it says. */
const transferHeaders = ["content-length", "content-encoding", "transfer-encoding"] as const

/**
 * The request as the service is to see it. A body that was read before is made again from what Hono kept of it.
 * @throws Error when somebody read the body past Hono, so that it is never silently empty
 */
export async function toServiceRequest(c: Context, url: string): Promise<Request> {
  const { raw } = c.req
  if (!raw.bodyUsed) return raw.url === url ? raw : new Request(url, raw)
  const headers = new Headers(raw.headers)
  for (const name of transferHeaders) headers.delete(name)
  return new Request(url, { method: raw.method, headers, body: await readKeptBody(c) })
}

async function readKeptBody({ req }: Context): Promise<ArrayBuffer | URLSearchParams> {
  const kept = Object.keys(req.bodyCache)
  if (kept.length === 0) {
    throw new Error(
      "The request's body was read from c.req.raw before it came here: read it by c.req, or mount authentication before",
    )
  }
  const isForm =
    kept[0] === "formData" && /^application\/x-www-form-urlencoded\b/i.test(req.header("content-type") ?? "")
  // As bytes, a form that Hono has parsed would come out as another type than its header says.
  return isForm ? toFields(await req.formData()) : await req.arrayBuffer()
}

function toFields(form: FormData): URLSearchParams {
  const fields = new URLSearchParams()
  form.forEach((value, name) => {
    if (typeof value === "string") fields.append(name, value)
  })
  return fields
}
