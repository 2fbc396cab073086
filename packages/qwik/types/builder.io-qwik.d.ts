/** The part of Qwik's types that the package uses. The example app is built with the real ones. */
declare module "@builder.io/qwik" {
  interface Call<ARGS extends readonly unknown[], RETURN> {
    call(...args: ARGS): Promise<Awaited<RETURN>>
  }

  export type QRL<TYPE = unknown> = {
    resolve(): Promise<TYPE>
  } & (TYPE extends (...args: infer ARGS) => infer RETURN ? Call<ARGS, RETURN>["call"] : unknown)

  export function implicit$FirstArg<FIRST, REST extends unknown[], RET>(
    fn: (qrl: QRL<FIRST>, ...rest: REST) => RET,
  ): (qrl: FIRST, ...rest: REST) => RET
}

declare module "@builder.io/qwik/build" {
  /** A build-time constant, by which server code is removed from the browser build. */
  export const isServer: boolean
}
