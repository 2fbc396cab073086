import { type App, createApp } from "./app.ts"

let app: App | undefined

export default {
  fetch(request: Request, env: { readonly RUNTIME_TEST: string }): Promise<Response> {
    app ??= createApp(JSON.parse(env.RUNTIME_TEST), "cf-connecting-ip")
    const clientAddress = request.headers.get("cf-connecting-ip") ?? undefined
    return app(request, { clientAddress, bindings: env })
  },
}
