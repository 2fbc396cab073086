import { auth } from "./auth"

export { auth as proxy }

/** Pages, not their files: each of them renews the session. */
export const config = { matcher: ["/((?!_next/static|_next/image|favicon.ico).*)"] }
