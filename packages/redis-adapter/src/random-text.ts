import { randomBytes } from "node:crypto"

/** 22 characters that nobody else draws. Names the life of a user, a claim, a call. */
export function randomText(): string {
  return randomBytes(16).toString("base64url")
}

/** Of what `randomText` returns. */
export const randomTextLength = 22
