// Imported as `@latchkey/core/jwt`. `export *`, so that hosts can extend `JWT` by module augmentation.
export { decode, encode } from "../crypto/jwt.js"
export { type GetTokenParams, getToken } from "../session/get-token.js"
export * from "../types/jwt.js"
