// An app on Node, type-checked with the packed packages and without `dom`.
import {
  Auth,
  type AuthConfig,
  createActionURL,
  customFetch,
  isAuthAction,
  raw,
  setEnvDefaults,
  skipCSRFCheck,
} from "@latchkey/core"
import type { Adapter } from "@latchkey/core/adapters"
import { AuthError } from "@latchkey/core/errors"
import { decode, encode, getToken } from "@latchkey/core/jwt"
import * as providers from "@latchkey/core/providers"
import github from "@latchkey/core/providers/github"
import * as types from "@latchkey/core/types"
import * as express from "@latchkey/express"
import * as fastify from "@latchkey/fastify"
import * as kyselyAdapter from "@latchkey/kysely-adapter"
import * as node from "@latchkey/node"
import * as reactRouter from "@latchkey/react-router"
import * as redisAdapter from "@latchkey/redis-adapter"
import * as tanstackStart from "@latchkey/tanstack-start"
import * as unstorageAdapter from "@latchkey/unstorage-adapter"

const config: AuthConfig = { providers: [github], secret: "a secret for the type check alone", trustHost: true }

export const response: Promise<Response> = Auth(new Request("https://app.example/auth/session"), config)
export const adapter: Adapter | undefined = undefined
export const isFailure = (value: unknown): value is AuthError => value instanceof AuthError
export const rest = [
  createActionURL,
  customFetch,
  isAuthAction,
  raw,
  setEnvDefaults,
  skipCSRFCheck,
  decode,
  encode,
  getToken,
]
export const faces = [
  providers,
  types,
  express,
  fastify,
  kyselyAdapter,
  node,
  reactRouter,
  redisAdapter,
  tanstackStart,
  unstorageAdapter,
]
