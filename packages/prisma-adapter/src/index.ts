// Imported as `@latchkey/prisma-adapter`. Needs a generated client of Prisma 5 or newer.
export type { PrismaModel } from "./model-records.js"
export { PrismaAdapter, type PrismaAdapterOptions, type PrismaClientLike } from "./prisma-adapter.js"
export { isUniqueViolation, PrismaFailure } from "./prisma-failure.js"
