/**
 * Whether an ID of a user of Microsoft is the subject of an ID token, by which our provider knows users: 43 characters that
 * differ between apps. Others are object IDs of a tenant (UUIDs) or of a personal account (16 hexadecimal digits).
 * @see https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference
 */
export function isMicrosoftSubject(id: string): boolean {
  return /^[\w-]{40,50}$/.test(id) && !/^[\da-f]{8}-/i.test(id)
}

/** What is said of an account with another ID. */
export const leftMicrosoft = "The account of Microsoft, whose ID there is another one for us: it has to be linked again"
