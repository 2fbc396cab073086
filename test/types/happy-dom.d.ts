/** Stands for the library's own types, which vitest names and which do not compile with those of this Node. */
export declare class Window {
  constructor(options?: object)
}
