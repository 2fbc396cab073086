/** An answer for servers that write it themselves, without a `Response` in between. */
export interface Answer {
  readonly status: number
  /** Names in lower case. `set-cookie` may come several times. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | null
}
