// What the apps use of their runtimes.

declare const Bun: {
  serve(options: {
    readonly hostname: string
    readonly port: number
    fetch(
      request: Request,
      server: { requestIP(request: Request): { readonly address: string } | null },
    ): Response | Promise<Response>
  }): unknown
}

declare const Deno: {
  readonly env: { get(name: string): string | undefined }
  serve(
    options: { readonly hostname: string; readonly port: number },
    handler: (
      request: Request,
      info: { readonly remoteAddr: { readonly hostname: string } },
    ) => Response | Promise<Response>,
  ): unknown
}

declare interface FetchEvent extends Event {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}
