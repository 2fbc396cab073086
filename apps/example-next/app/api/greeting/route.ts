import { auth } from "../../../auth"

export const GET = auth((request) => {
  const name = request.auth?.user?.name
  return name
    ? Response.json({ greeting: `Hello ${name}` })
    : Response.json({ message: "Sign in first." }, { status: 401 })
})
