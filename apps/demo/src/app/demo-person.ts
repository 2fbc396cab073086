/**
 * The person who can sign in with a user name and a password from the first start on. Not a secret: it is printed on
 * the form.
 */
export const demoPerson = {
  username: "ada",
  password: "lovelace-1843",
  name: "Ada Lovelace",
  email: "ada@demo.example",
} as const

/** The account of this address is refused, so that the refusal can be seen. */
export const unwelcomeEmail = "mallory@id.example"
