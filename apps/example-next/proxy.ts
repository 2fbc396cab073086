import { auth } from "./auth"

export { auth as proxy }

/** All paths except static files, since every request that matches renews the session. */
export const config = { matcher: ["/((?!_next/static|_next/image|favicon.ico).*)"] }
