import type { Answer } from "@latchkey/core"
import {
  isBelow,
  normalizeBasePath,
  type Settings,
  toPath,
  toPublicTarget,
  warnAtStart,
} from "@latchkey/core/integration"
import { answerRequest, keepPrivate, readTarget, resolveSettings } from "@latchkey/node"
import type { Context, Middleware } from "koa"
import { type KoaAuthOptions, type KoaConfigSource, readContext, readOrigin } from "./config.js"
import { initAuth, send, sendCookies } from "./session.js"

/**
 * Mounts the endpoints in a Koa app: `app.use(KoaAuth(config))`, for all paths and before the code that reads the session.
 *
 * Answers requests below `basePath` (else the path of `AUTH_URL`, else `/auth`) and passes others on with `ctx.auth`.
 * @param config The configuration, or a function that returns the one for a request. Return the same object for the same
 *   case: Latchkey resolves each configuration object once.
 */
export function KoaAuth(config: KoaConfigSource, options: KoaAuthOptions = {}): Middleware {
  warnAtStart(config)
  const prefix = normalizeBasePath(options.prefix ?? "")
  return async (ctx, next) => {
    const settings = await resolveSettings(config, ctx, prefix)
    const answer = await findAnswer(ctx, settings, prefix)
    if (answer) return send(answer, ctx)
    const bound = initAuth(ctx, settings)
    try {
      await next()
    } catch (error) {
      // Koa then removes all headers.
      keepPrivate(ctx.res, () => {
        sendCookies(ctx, bound)
        return bound.hasRefused()
      })
      throw error
    }
    sendCookies(ctx, bound)
  }
}

/** Returns null for a request that is not below the path of the endpoints. */
async function findAnswer(ctx: Context, settings: Settings, prefix: string): Promise<Answer | null> {
  // As the client sent it: `mount` of koa-mount cuts off the beginning of `ctx.url`.
  const target = readTarget(ctx)
  if (prefix !== "" && !isBelow(toPath(target), prefix)) return null
  return await answerRequest(ctx.req, settings, {
    ...readOrigin(ctx),
    context: readContext(ctx, settings.config),
    url: toPublicTarget(target, prefix, settings),
    body: findParsedBody(ctx),
    response: ctx.res,
  })
}

interface ParsedBody {
  readonly rawBody?: unknown
  readonly body?: unknown
}

/** What a body parser has left, preferably the text itself. Koa reads no body. */
function findParsedBody({ req, request }: Context): unknown {
  if (!req.readableDidRead) return undefined
  const { rawBody, body } = request as ParsedBody // Body parsers add these fields.
  return rawBody ?? body
}
