import { createRequire } from "node:module"
import Koa3 from "koa"

const require = createRequire(import.meta.url)

/** Koa 2 is installed under another name, without types. The part of its interface that the tests use is the same. */
const Koa2: typeof Koa3 = require("koa2")

export const koas = [
  { name: "Koa 3", Koa: Koa3 },
  { name: "Koa 2", Koa: Koa2 },
] as const

/** Without its types, which would change the body of every request of `node:http` in this repository. */
export const { bodyParser }: { readonly bodyParser: () => Koa3.Middleware } = require("@koa/bodyparser")

/** The body that the parser has left. */
export function bodyOf(ctx: Koa3.Context): Record<string, string> {
  return Reflect.get(ctx.request, "body")
}

/** Runs an app for the requests below a path. */
export const mount: (path: string, app: Koa3) => Koa3.Middleware = require("koa-mount")
