import { answerRequest, resolveSettings } from "@latchkey/node"
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify"
import { type ContextReader, readArrival } from "./arrival.js"
import type { FastifyConfigSource } from "./plugin-options.js"

interface RouteOptions {
  readonly source: FastifyConfigSource
  readonly readContext: ContextReader
}

/** The actions, in a scope of their own: the bytes of a body are for the service to read. */
export const registerRoutes: FastifyPluginAsync<RouteOptions> = async (scope, { source, readContext }) => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body))
  const mountSegments = scope.prefix.split("/").length

  async function answerAction(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const mountPath = request.url.split(/[?#]/, 1)[0]?.split("/").slice(0, mountSegments).join("/") ?? ""
    const settings = await resolveSettings(source, request, mountPath)
    const answer = await answerRequest(request.raw, settings, {
      ...readArrival(request),
      context: readContext(request, settings.config),
      // The base path in place of the mount path, in case a proxy took a part of it away.
      url: `${settings.basePath}${request.url.slice(mountPath.length)}`,
      body: request.body,
      response: reply.raw,
    })
    if (answer === null) return reply.callNotFound()
    reply.code(answer.status)
    for (const [name, value] of answer.headers) reply.header(name, value)
    return reply.send(answer.body ?? undefined)
  }

  scope.all("/*", answerAction)
}
