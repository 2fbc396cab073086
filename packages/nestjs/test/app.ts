import { type IncomingHttpHeaders, request as sendRequest } from "node:http"
import { text } from "node:stream/consumers"
import { type Browser, createBrowser, overHttp } from "@latchkey/testkit"
import type { RunningServer } from "@latchkey/testkit/integration"
import {
  All,
  Body,
  Controller,
  type DynamicModule,
  Get,
  type INestApplication,
  Module,
  type NestApplicationOptions,
  Post,
  type Provider,
  Req,
  Res,
  type Type,
} from "@nestjs/common"
import { type AbstractHttpAdapter, NestFactory } from "@nestjs/core"
import { ExpressAdapter } from "@nestjs/platform-express"
import { FastifyAdapter } from "@nestjs/platform-fastify"
import { onTestFinished } from "vitest"
import { CurrentAuth, CurrentSession, type NestRequest, type Session, type UserAuth } from "../src/index.js"

export const platforms = [
  { name: "Nest on Express", wildcard: "*splat", createAdapter: (): AbstractHttpAdapter => new ExpressAdapter() },
  { name: "Nest on Fastify", wildcard: "*", createAdapter: (): AbstractHttpAdapter => new FastifyAdapter() },
] as const

/** What both platforms' responses have in common. */
export interface Reply {
  status(code: number): Reply
  header(name: string, value: string): Reply
  send(body?: unknown): unknown
}

/** The arguments of a handler. */
export interface Given {
  readonly auth: UserAuth<never>
  readonly body: Record<string, string>
  readonly request: NestRequest
  readonly reply: Reply
}

export interface Route {
  readonly path: string
  readonly method?: "GET" | "POST" | "ALL"
  /** Sends the response, or returns its body. */
  handle(given: Given): unknown
  readonly decorators?: readonly MethodDecorator[]
}

const methods = { GET: Get, POST: Post, ALL: All }

/** Decorates a method as the compiler of an app does. */
function decorate(target: Type, name: string, decorators: readonly MethodDecorator[]): void {
  const descriptor = Object.getOwnPropertyDescriptor(target.prototype, name) ?? {}
  for (const decorator of decorators) decorator(target.prototype, name, descriptor)
}

function createController({ path, method = "GET", handle, decorators = [] }: Route): Type {
  class TestController {
    async answer(
      auth: UserAuth<never>,
      body: Record<string, string>,
      request: NestRequest,
      reply: Reply,
    ): Promise<void> {
      let isSent = false
      const tracking: Reply = {
        status(code) {
          reply.status(code)
          return tracking
        },
        header(name, value) {
          reply.header(name, value)
          return tracking
        },
        send(sent) {
          isSent = true
          return reply.send(sent)
        },
      }
      const result = await handle({ auth, body, request, reply: tracking })
      if (!isSent) reply.send(result)
    }
  }
  Controller()(TestController)
  for (const [index, parameter] of [CurrentAuth, Body, Req, Res].entries()) {
    parameter()(TestController.prototype, "answer", index)
  }
  decorate(TestController, "answer", [methods[method](path), ...decorators])
  return TestController
}

/** A controller whose handler gets the session as a parameter. */
export function createSessionController(path: string, decorators: readonly MethodDecorator[] = []): Type {
  class SessionController {
    show(session: Session | null): { readonly session: Session | null } {
      return { session }
    }
  }
  Controller()(SessionController)
  CurrentSession()(SessionController.prototype, "show", 0)
  decorate(SessionController, "show", [All(path), ...decorators])
  return SessionController
}

export interface AppParts {
  readonly auth: DynamicModule
  readonly routes?: readonly Route[]
  readonly controllers?: readonly Type[]
  readonly providers?: readonly Provider[]
  readonly options?: NestApplicationOptions
}

/** Creates an app that does not listen yet. */
export async function createApp(adapter: AbstractHttpAdapter, parts: AppParts): Promise<INestApplication> {
  const { auth, routes = [], controllers = [], providers = [], options } = parts
  class AppModule {}
  Module({
    imports: [auth],
    controllers: [...controllers, ...routes.map(createController)],
    providers: [...providers],
  })(AppModule)
  return await NestFactory.create(AppModule, adapter, { logger: false, ...options })
}

export async function listen(app: INestApplication): Promise<RunningServer> {
  await app.listen(0, "127.0.0.1")
  const { port } = app.getHttpServer().address()
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      app.getHttpServer().closeAllConnections()
      await app.close()
    },
  }
}

/** Starts an app, closes it after the test, and returns its origin. */
export async function serve(app: INestApplication): Promise<string> {
  const { origin, close } = await listen(app)
  onTestFinished(close)
  return origin
}

/** Starts an app and opens a browser for it. */
export async function visit(app: INestApplication, basePath = "/auth"): Promise<Browser> {
  return createBrowser({ handler: overHttp, origin: await serve(app), basePath })
}

export interface RawAnswer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends a request with headers or a target that `fetch` refuses to send. */
export function ask(origin: string, path: string, headers: Record<string, string> = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const sent = sendRequest({ hostname, port, path, headers }, (answer) => {
      const { statusCode: status, headers: received } = answer
      text(answer).then((body) => resolve({ status, headers: received, body }), reject)
    })
    sent.on("error", reject).end()
  })
}
