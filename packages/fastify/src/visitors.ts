import type { FastifyReply, FastifyRequest } from "fastify"
import { createVisitor, type RequestNeeds, type Visitor } from "./request-auth.js"

/** The visitors of an app, one for each request. */
export interface Visitors {
  get(request: FastifyRequest): Visitor
  /** Adds what the visitor is to be told to the cookies that an answer sets already. */
  sendCookies(request: FastifyRequest, reply: FastifyReply): void
}

export function createVisitors(needs: RequestNeeds): Visitors {
  const visitors = new WeakMap<FastifyRequest, Visitor>()

  function get(request: FastifyRequest): Visitor {
    const visitor = visitors.get(request) ?? createVisitor(request, needs)
    visitors.set(request, visitor)
    return visitor
  }

  return {
    get,
    sendCookies(request, reply) {
      const visitor = visitors.get(request)
      if (!visitor) return
      for (const line of visitor.cookies.take(readCookies(reply))) reply.header("set-cookie", line)
    },
  }
}

function readCookies(reply: FastifyReply): readonly string[] {
  const sent = reply.getHeader("set-cookie")
  return Array.isArray(sent) ? sent : typeof sent === "string" ? [sent] : []
}
