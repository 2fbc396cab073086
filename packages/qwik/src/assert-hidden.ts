interface Marked {
  readonly latchkeyHidesConfig?: boolean
}

/**
 * The Vite plugin puts its word in the place of this expression, in the server's part of an app.
 * @throws Error without it
 */
export function assertHidden(): void {
  // Nothing else of the global object is meant.
  if ((globalThis as Marked).latchkeyHidesConfig) return
  throw new Error(
    "Browsers are given the configuration of QwikAuth$. Add latchkey() of @latchkey/qwik/vite to the plugins in vite.config.ts",
  )
}
