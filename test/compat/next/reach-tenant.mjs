// Loaded before an app of Auth0, whose library takes a host name alone: reaches the provider of the test instead.
const { TENANT_ORIGIN, TENANT_STAND_IN } = process.env
const ask = globalThis.fetch
globalThis.fetch = (input, init) => {
  const url = String(input instanceof Request ? input.url : input)
  if (!url.startsWith(TENANT_ORIGIN)) return ask(input, init)
  return ask(url.replace(TENANT_ORIGIN, TENANT_STAND_IN), init)
}
