// Imported as `@latchkey/prisma-adapter`. Needs a generated client of Prisma 5 or newer.

export { isUniqueViolation } from "./failure/is-unique-violation.js"
export { PrismaFailure } from "./failure/prisma-failure.js"
export { PrismaAdapter, type PrismaAdapterOptions } from "./prisma-adapter.js"
export type { PrismaClientLike, PrismaModel } from "./prisma-client.js"
