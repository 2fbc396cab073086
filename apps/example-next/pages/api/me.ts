import type { NextApiHandler } from "next"
import { auth } from "../../auth"

/** An API route of the pages router. */
const me: NextApiHandler = async (request, response) => {
  const session = await auth(request, response)
  response.status(session ? 200 : 401).json(session?.user ?? { message: "Sign in first." })
}

export default me
