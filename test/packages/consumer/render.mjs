// Prints the built-in sign-in page and the sign-in mail of the installed packages, as JSON.
import { Auth, customFetch } from "@latchkey/core"
import GitHub from "@latchkey/core/providers/github"
import Resend from "@latchkey/core/providers/resend"

const request = new Request("https://app.example/auth/signin")
const secret = "a secret of the consumer, long enough and of no use"
const config = { providers: [GitHub({ clientId: "a", clientSecret: "b" })], basePath: "/auth", trustHost: true, secret }
const page = await (await Auth(request, config)).text()

let mail = ""
const provider = Resend({
  apiKey: "key",
  from: "no-reply@app.example",
  [customFetch]: async (_, { body }) => {
    mail = JSON.parse(body).html
    return Response.json({})
  },
})
const url = "https://app.example/auth/callback/resend?token=t"
const expires = new Date(0)
await provider.sendVerificationRequest({
  identifier: "ada@app.example",
  url,
  provider: { ...provider, ...provider.options },
  theme: {},
  token: "t",
  expires,
  request,
})

process.stdout.write(JSON.stringify({ page, mail }))
