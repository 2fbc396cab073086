export { proxy } from "@library"

/** The endpoints only on request, so that they are measured without and with a proxy before them. */
export const config = {
  matcher: ["/private", { source: "/auth/:path*", has: [{ type: "header", key: "x-behind-proxy" }] }],
}
