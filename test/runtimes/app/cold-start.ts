// Prints how much processor time the import, the first session and the first sign-in page take, in milliseconds.
import process from "node:process"

const name = process.argv.at(-1) ?? ""

const before = process.cpuUsage()
const { Auth } = await import(`${name}`)
const { default: GitHub } = await import(`${name}/providers/github`)
const config = {
  providers: [GitHub({ clientId: "id", clientSecret: "a secret of GitHub" })],
  secret: "a secret that is long enough for this measurement",
  trustHost: true,
  basePath: "/auth",
}
for (const path of ["session", "signin"]) {
  const response: Response = await Auth(new Request(`https://app.test/auth/${path}`), config)
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  await response.text()
}
const { user, system } = process.cpuUsage(before)
console.log((user + system) / 1000)
