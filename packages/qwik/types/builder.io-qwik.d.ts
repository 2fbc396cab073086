/** The part of Qwik's types that the sources use. The example app is built with the whole. */
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
  /** Known while an app is built: what only servers run is left out of what browsers load. */
  export const isServer: boolean
}
