/** The part of Qwik City's types that the package uses. The example app is built with the real ones. */
declare module "@builder.io/qwik-city" {
  export interface RequestEventCommon {
    readonly url: URL
    readonly basePathname: string
    readonly request: Request
    readonly headers: Headers
    readonly cookie: { set(name: string, value: string): void }
    readonly env: { get(key: string): string | undefined }
    // biome-ignore lint/suspicious/noExplicitAny: as Qwik City declares it
    readonly sharedMap: Map<string, any>
    readonly clientConn: { readonly ip?: string }
    readonly redirect: (statusCode: 303, url: string) => unknown
    readonly send: (response: Response) => unknown
  }

  export type RequestEvent = RequestEventCommon

  export type RequestHandler = (event: RequestEvent) => Promise<void> | void

  export type Loader<RETURN> = () => { readonly value: RETURN }

  export interface ActionStore<RETURN, INPUT> {
    readonly actionPath: string
    readonly isRunning: boolean
    submit(input?: INPUT | FormData): Promise<{ readonly value: RETURN }>
  }

  export type Action<RETURN, INPUT = Record<string, unknown>, OPTIONAL extends boolean = true> = {
    (): ActionStore<RETURN, INPUT>
    readonly isOptional?: OPTIONAL
  }

  export function routeLoader$<RETURN>(load: (event: RequestEventCommon) => RETURN | Promise<RETURN>): Loader<RETURN>

  export function globalAction$<RETURN>(
    act: (fields: Record<string, unknown>, event: RequestEventCommon) => RETURN | Promise<RETURN>,
  ): Action<RETURN>
}
