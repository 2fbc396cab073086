/** A server with nothing in it. */
export interface StoreServer {
  /** How clients reach it, such as `redis://127.0.0.1:6379`. */
  readonly url: string
  /** Ends it with all that it holds. Doing it twice does no harm. */
  stop(): Promise<void>
}
