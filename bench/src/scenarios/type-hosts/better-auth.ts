import { betterAuth } from "better-auth"

const client = { clientId: "id", clientSecret: "secret" }
const auth = betterAuth({
  socialProviders: { github: client, google: client, discord: client },
  session: { additionalFields: { provider: { type: "string", required: false } } },
})

export async function answer(request: Request): Promise<Response> {
  return await auth.handler(request)
}

export async function findProvider(request: Request): Promise<string | null | undefined> {
  const found = await auth.api.getSession({ headers: request.headers })
  return found?.session.provider
}
