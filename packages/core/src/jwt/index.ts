// Imported as `@latchkey/core/jwt`. The types come by `export *`, which lets a host extend `JWT` by module
// augmentation.
export * from "../contract/jwt.js"
export { decode, encode } from "../crypto/token.js"
export { type GetTokenParams, getToken } from "../session/get-token.js"
