/**
 * Set as `config.raw` to get the {@link ResponseInternal} instead of a `Response`. For framework integrations.
 */
export const raw: unique symbol = Symbol("latchkey.raw")

/** Set as `config.skipCSRFCheck` by frameworks that protect their forms themselves. */
export const skipCSRFCheck: unique symbol = Symbol("latchkey.skip-csrf-check")

/** Key of a provider under which a host puts the `fetch` that calls this provider's endpoints. */
export const customFetch: unique symbol = Symbol("latchkey.custom-fetch")
