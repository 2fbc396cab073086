import type { Answer, AuthContext } from "@latchkey/core"
import type { NodeRequest } from "./node-request.js"
import type { NodeResponse } from "./node-response.js"
import type { OriginOptions } from "./origin.js"
import { readContext } from "./read-context.js"
import { isRefusal, jsonAnswer, refuse } from "./refuse.js"
import { sendAnswer } from "./send-answer.js"
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
 * @param respond Its second argument is what `Auth` takes as its third.
 */
export function createNodeListener(
  respond: (request: Request, context: AuthContext) => Response | PromiseLike<Response>,
  options: OriginOptions = {},
): NodeListener {
  return toListener(async (req, response) => {
    let request: Request
    try {
      request = toWebRequest(req, { ...options, response })
    } catch (error) {
      return refuse(error, req)
    }
    return await respond(request, readContext(req))
  })
}

/**
 * @param respond Gives null for a request that is not its own: `next` has it then, and without one the answer is 404.
 */
export function toListener<Req extends NodeRequest, Res extends NodeResponse>(
  respond: (req: Req, res: Res) => Promise<Response | Answer | null>,
): NodeListener<Req, Res> {
  return async (req, res, next) => {
    let pass = () => (next ? next() : sendAnswer(jsonAnswer("Not found.", 404), res))
    try {
      const answer = await respond(req, res)
      if (answer) return await send(answer, res)
    } catch (error) {
      pass = () => (next ? next(error) : fail(error, req, res))
    }
    try {
      await pass()
    } catch (error) {
      await fail(error, req, res)
    }
  }
}

async function fail(error: unknown, req: NodeRequest, res: NodeResponse): Promise<void> {
  const answer = isRefusal(error) ? refuse(error, req) : jsonAnswer({ message: failureText }, 500)
  if (answer.status === 500) console.error(error)
  if (res.headersSent) res.destroy()
  else sendAnswer(answer, res)
}

/** The service's own answer, or what a function of the Web made. */
async function send(answer: Response | Answer, res: NodeResponse): Promise<void> {
  if (isAnswer(answer)) sendAnswer(answer, res)
  else await sendWebResponse(answer, res)
}

function isAnswer(answer: Response | Answer): answer is Answer {
  return Array.isArray(answer.headers)
}
