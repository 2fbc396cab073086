/** A person as the host's callbacks and the session see them. Extend by module augmentation of `User`. */
export interface DefaultUser {
  id?: string
  name?: string | null
  email?: string | null
  image?: string | null
}

/** Extend by module augmentation: `declare module "@latchkey/core" { interface User { role: string } }`. */
export interface User extends DefaultUser {}
