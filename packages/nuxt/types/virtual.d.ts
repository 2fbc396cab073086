// The module and Nuxt provide these modules in an app's build.
declare module "#latchkey/auth-config" {
  const config: import("../src/event.js").NuxtAuthSource
  // biome-ignore lint/style/noDefaultExport: as in the file of the app
  export default config
}

declare module "#latchkey/mount-path" {
  export const mountPath: string
}

declare module "nuxt/app" {
  import type { H3Event } from "h3"
  import type { Ref } from "vue"

  interface NuxtApp {
    provide(name: string, value: unknown): void
  }
  interface RouteLocation {
    readonly fullPath: string
  }
  interface NavigateOptions {
    readonly external?: boolean
    readonly redirectCode?: number
  }
  export function createError(error: { readonly statusCode: number; readonly message: string }): Error
  export function defineNuxtPlugin(setup: (app: NuxtApp) => void | Promise<void>): unknown
  export function defineNuxtRouteMiddleware(middleware: (to: RouteLocation) => unknown): unknown
  export function navigateTo(to: string, options?: NavigateOptions): unknown
  export function useNuxtApp(): object
  export function useRequestEvent(): H3Event | undefined
  interface RuntimeConfig {
    readonly public: { readonly latchkey: { readonly basePath: string } }
  }
  interface Router {
    resolve(to: RouteLocation): { readonly href: string }
  }
  export function useRouter(): Router
  export function useRuntimeConfig(): RuntimeConfig
  export function useState<T>(key: string, init: () => T): Ref<T>
}
