// Imported as `@latchkey/astro/route`, by the integration.

/** Paths below the endpoints that the middleware has not answered. The route makes Astro's server receive them. */
export function ALL(): Response {
  return new Response(null, { status: 404 })
}
