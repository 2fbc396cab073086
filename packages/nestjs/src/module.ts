import { InvalidRequest } from "@latchkey/core/errors"
import { warnAtStart } from "@latchkey/core/integration"
import { answerRequest, type Next, type NodeListener, readContext, resolveSettings, toListener } from "@latchkey/node"
import {
  type DynamicModule,
  type FactoryProvider,
  Inject,
  Module,
  type ModuleMetadata,
  type NestModule,
} from "@nestjs/common"
import { HttpAdapterHost } from "@nestjs/core"
import { type NestAuthOptions, type NestAuthSettings, type NestConfigSource, proxySetting } from "./config.js"
import { AuthService } from "./service.js"
import { initAuth } from "./session.js"

/** A configuration from other providers, such as Nest's `ConfigService`. */
export interface AsyncNestAuthOptions extends NestAuthOptions, Pick<ModuleMetadata, "imports"> {
  /** The providers that are passed to `useFactory`. */
  readonly inject?: FactoryProvider["inject"]
  // biome-ignore lint/suspicious/noExplicitAny: Nest declares factories so, because `inject` decides the parameters.
  readonly useFactory: (...injected: any[]) => NestConfigSource | Promise<NestConfigSource>
}

const settingsToken = Symbol("the settings of @latchkey/nestjs")

/**
 * Mounts the endpoints in a Nest app: `imports: [AuthModule.forRoot(config)]` in the module of the app.
 *
 * Answers requests below `basePath` (else the path of `AUTH_URL`, else `/auth`), whatever the global prefix of the app, and
 * passes others on. `AuthService` can then be injected everywhere.
 */
export class AuthModule implements NestModule {
  readonly #adapterHost: HttpAdapterHost
  readonly #settings: NestAuthSettings

  constructor(adapterHost: HttpAdapterHost, settings: NestAuthSettings) {
    this.#adapterHost = adapterHost
    this.#settings = settings
  }

  /** @param config The configuration, or a function that returns the one for a request. */
  static forRoot(config: NestConfigSource, options: NestAuthOptions = {}): DynamicModule {
    return createModule({ provide: settingsToken, useValue: { config, options } })
  }

  static forRootAsync({ imports = [], inject = [], useFactory, ...options }: AsyncNestAuthOptions): DynamicModule {
    const create = async (...injected: unknown[]) => ({ config: await useFactory(...injected), options })
    return { ...createModule({ provide: settingsToken, inject, useFactory: create }), imports }
  }

  /** Nest calls it when all body parsers are mounted, and no routes. */
  configure(): void {
    warnAtStart(this.#settings.config)
    this.#adapterHost.httpAdapter.use(createListener(this.#settings))
  }
}

// Called as functions: the syntax of decorators for parameters exists in TypeScript alone.
Module({})(AuthModule)
Inject(HttpAdapterHost)(AuthModule, undefined, 0)
Inject(settingsToken)(AuthModule, undefined, 1)

function createModule(settings: NonNullable<ModuleMetadata["providers"]>[number]): DynamicModule {
  return { module: AuthModule, global: true, providers: [settings, AuthService], exports: [AuthService] }
}

function createListener({ config, options }: NestAuthSettings): NodeListener {
  const listener = toListener(async (request, response) => {
    const settings = await resolveSettings(config, request)
    const context = readContext(request, proxySetting)
    const answer = await answerRequest(request, settings, { ...options, context, response })
    if (answer === null) initAuth(request, response, [settings, options])
    return answer
  })
  return (request, response, next) => listener(request, response, next && answerInvalid(next))
}

/** Nest would answer an invalid request with 500. */
function answerInvalid(next: Next): Next {
  return (error) => {
    if (error instanceof InvalidRequest) throw error
    return error === undefined ? next() : next(error)
  }
}
