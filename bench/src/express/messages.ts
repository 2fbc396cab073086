/** What a server says when it listens. */
export interface Listening {
  readonly port: number
  readonly cookie: string
}

/** Answer to any message to a server: processor time since its start, in microseconds. */
export interface UsedCpu {
  readonly cpuUs: number
}

/** Order to the load generator. */
export interface LoadOrder extends Listening {
  readonly connections: number
  readonly milliseconds: number
}

export interface Load {
  readonly requests: number
  readonly elapsedUs: number
  /** Status, cookie names and body of the last answer. */
  readonly last: { readonly status: number; readonly cookies: readonly string[]; readonly body: string }
}
