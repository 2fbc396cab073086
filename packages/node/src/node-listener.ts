import { InvalidRequest } from "@latchkey/core/errors"
import type { NodeRequest } from "./node-request.js"
import type { NodeResponse } from "./node-response.js"
import type { OriginOptions } from "./origin.js"
import { refuse } from "./refuse.js"
import { sendWebResponse } from "./send-web-response.js"
import { toWebRequest } from "./web-request.js"

/** Passes a request on, with an error when something failed. What it throws itself is logged and answered with 500. */
export type Next = (error?: unknown) => unknown

/**
 * Listens to `request` of node:http, and is a middleware for Connect and its kin. The promise is never rejected: on
 * node:http nobody would catch it, and the process would end.
 */
export type NodeListener<Req = NodeRequest, Res = NodeResponse> = (req: Req, res: Res, next?: Next) => Promise<void>

const failureText = "Something failed. The server's log says what."

/**
 * Answers requests by a function from Web `Request` to `Response`. What the function throws goes to `next`; where there
 * is none, it is logged and the answer is 500. A request that cannot be read is answered with 400.
 */
export function createNodeListener(
  respond: (request: Request) => Response | PromiseLike<Response>,
  options: OriginOptions = {},
): NodeListener {
  return toListener(async (req, response) => {
    let request: Request
    try {
      request = toWebRequest(req, { ...options, response })
    } catch (error) {
      return refuse(error)
    }
    return await respond(request)
  })
}

/** @param respond Gives null for a request that is not its own: `next` has it then, and without one the answer is 404. */
export function toListener<Req extends NodeRequest, Res extends NodeResponse>(
  respond: (req: Req, res: Res) => Promise<Response | null>,
): NodeListener<Req, Res> {
  return async (req, res, next) => {
    let pass = () => (next ? next() : sendWebResponse(Response.json("Not found.", { status: 404 }), res))
    try {
      const response = await respond(req, res)
      if (response) return await sendWebResponse(response, res)
    } catch (error) {
      pass = () => (next ? next(error) : fail(error, res))
    }
    try {
      await pass()
    } catch (error) {
      await fail(error, res)
    }
  }
}

async function fail(error: unknown, res: NodeResponse): Promise<void> {
  const response =
    error instanceof InvalidRequest ? refuse(error) : Response.json({ message: failureText }, { status: 500 })
  if (response.status === 500) console.error(error)
  if (res.headersSent) res.destroy()
  else await sendWebResponse(response, res)
}
