import { Auth } from "@latchkey/core"
import GitHub from "@latchkey/core/providers/github"

const config = {
  providers: [GitHub({ clientId: "id", clientSecret: "a secret of GitHub" })],
  secret: "a secret that is long enough for this measurement",
  trustHost: true,
  basePath: "/auth",
}
const only = process.argv[2]
for (const path of only ? only.split(",") : ["session", "signin"]) {
  const r = await Auth(new Request("https://app.test/auth/" + path), config)
  await r.text()
  if (r.status !== 200) throw r.status
}
