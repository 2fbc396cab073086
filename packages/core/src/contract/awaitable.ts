/** A value that may come later. Code that receives one awaits it; code that returns one need not be `async`. */
export type Awaitable<T> = T | PromiseLike<T>
