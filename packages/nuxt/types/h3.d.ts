/** The types of h3 name it; those of browsers lack it. */
interface FetchEvent extends Event {
  readonly request: Request
  respondWith(response: Response | Promise<Response>): void
}
