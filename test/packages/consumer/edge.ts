// Core and Hono on an edge runtime, type-checked without the types of Node.
import { Auth, type AuthConfig } from "@latchkey/core"
import github from "@latchkey/core/providers/github"
import { HonoAuth } from "@latchkey/hono"
import { Hono } from "hono"

const config: AuthConfig = { providers: [github], secret: "a secret for the type check alone", trustHost: true }

export const response: Promise<Response> = Auth(new Request("https://app.example/auth/session"), config)
export const app: Hono = new Hono().use(HonoAuth(config))
