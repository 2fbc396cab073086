// The part of Next's types that the package uses. The example app is built with the real ones.

declare module "next/server.js" {
  export interface NextURL extends URL {
    readonly basePath: string
  }

  export class NextRequest extends Request {
    get nextUrl(): NextURL
  }

  export class NextResponse extends Response {
    static next(init?: { readonly request?: { readonly headers: Headers } }): NextResponse
  }

  export function connection(): Promise<void>

  export interface NextFetchEvent {
    readonly sourcePage: string
    waitUntil(promise: Promise<unknown>): void
  }
}

declare module "next/headers.js" {
  import type { CookieSerializeOptions } from "@latchkey/core/types"

  export interface CookieStore {
    getAll(): { readonly name: string; readonly value: string }[]
    set(name: string, value: string, options: CookieSerializeOptions): unknown
  }

  export function cookies(): Promise<CookieStore>
  export function headers(): Promise<Headers>
}

declare module "next/navigation" {
  export function redirect(url: string): never
}

declare module "next" {
  import type { IncomingMessage, ServerResponse } from "node:http"

  export interface NextApiRequest extends IncomingMessage {
    readonly body: unknown
  }
  export type NextApiResponse = ServerResponse
  export interface GetServerSidePropsContext {
    readonly req: IncomingMessage
    readonly res: ServerResponse
  }
}

// biome-ignore lint/style/noNamespace: Node's types are extended this way
declare namespace NodeJS {
  interface ProcessEnv {
    /** Next's build replaces this name with its value. */
    readonly __NEXT_ROUTER_BASEPATH?: string
  }
}
