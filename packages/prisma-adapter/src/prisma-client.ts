/** What is used of one model of a client. Arguments and results are as the host's schema has them. */
export interface PrismaModel {
  /** References to the model's scalar fields, by name. */
  readonly fields: object
  findFirst(query: never): PromiseLike<unknown>
  findMany(query: never): PromiseLike<unknown>
  create(query: never): PromiseLike<unknown>
  updateMany(query: never): PromiseLike<unknown>
  deleteMany(query: never): PromiseLike<unknown>
}

/**
 * A client of Prisma's, of any generator, extended or not, or the client within an interactive transaction. What has no
 * model is left out of the adapter.
 */
export interface PrismaClientLike {
  readonly user: PrismaModel
  readonly account: PrismaModel
  readonly session: PrismaModel
  readonly verificationToken: PrismaModel
  readonly authenticator?: PrismaModel
  /** Without it the adapter has no `consumeOnce`, and each process remembers for itself what was spent. */
  readonly spent?: PrismaModel
  /**
   * Without it the adapter has neither `markEmailVerified` nor `isEmailVerified`, and the service cannot tell users whose address
   * nobody proved.
   */
  readonly provenEmail?: PrismaModel
}
